import type { NamedModel } from '../../data/types.ts';

const sections = { model: 'model', summariser: 'summarizer' } as const;

/** What stands in the configuration for a model that was named in the settings. */
export function configLines(
  part: keyof typeof sections,
  { name, baseUrl, windowTokens }: NamedModel,
): string {
  if (baseUrl === undefined && windowTokens === undefined) return `${sections[part]}: ${scalar(name)}`;
  const colon = name.indexOf(':');
  const [provider, model] = colon < 0 ? [name, ''] : [name.slice(0, colon), name.slice(colon + 1)];
  return [
    `${sections[part]}:`,
    `  provider: ${scalar(provider)}`,
    ...(model === '' ? [] : [`  name: ${scalar(model)}`]),
    ...(baseUrl === undefined ? [] : [`  baseUrl: ${scalar(baseUrl)}`]),
    ...(windowTokens === undefined ? [] : [`  windowTokens: ${windowTokens}`]),
  ].join('\n');
}

/** Plain where YAML reads it as the same text; JSON's quotes are YAML's, too. */
function scalar(text: string): string {
  return /^[A-Za-z][\w./-]*(?::[\w./-]+)*$/.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
