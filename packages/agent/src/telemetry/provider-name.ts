/** Names that the conventions write otherwise than people do. */
const wellKnown: ReadonlyMap<string, string> = new Map([
  ['azure', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['gemini', 'gcp.gemini'],
  ['google', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['moonshot', 'moonshot_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
]);

/** `gen_ai.provider.name` of a provider: the well-known value where there is one, else its own name. */
export function providerName(provider: string): string {
  return wellKnown.get(provider.toLowerCase()) ?? provider;
}
