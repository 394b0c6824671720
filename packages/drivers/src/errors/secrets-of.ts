/** Shorter words of a header stand in many messages, and are no secrets. */
const leastChars = 8;

interface Credentials {
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * What no message may repeat: the key, and what headers hold, whole and word by word (`Bearer …`). The longest first, so
 * that none leaves the rest of another.
 */
export function secretsOf({ apiKey = '', headers = {} }: Credentials): readonly string[] {
  const words = Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=]+/)]);
  const secrets = [apiKey, ...words.filter(({ length }) => length >= leastChars)].filter((one) => one !== '');
  return [...new Set(secrets)].toSorted((a, b) => b.length - a.length);
}
