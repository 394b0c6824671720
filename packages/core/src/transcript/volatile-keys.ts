/**
 * Marks that come and go from request to request without changing what is said. They are marks only on a message
 * itself and on a block of its content: deeper, inside arguments and results, a key of the same name is data.
 */
export const volatileKeys: ReadonlySet<string> = new Set(['cache_control', 'status']);

/** Where AI SDK keeps what is meant for one provider, on messages, parts, outputs of tools and their parts. */
const optionKeys: readonly string[] = [
  'providerOptions',
  'providerMetadata',
  'experimental_providerMetadata',
];

/** Cache marks among the options of a provider: Anthropic's in both spellings, and Bedrock's. */
const markKeys: ReadonlySet<string> = new Set(['cacheControl', 'cache_control', 'cachePoint']);

type Plain = Readonly<Record<string, unknown>>;

/** The record without the cache marks among its options, and without options in which nothing else stands. */
export function withoutOptionMarks(record: Plain): Plain {
  let bare = record;
  for (const key of optionKeys) {
    if (!isRecord(record[key])) continue;
    const options = withoutMarks(record[key]);
    if (options === record[key]) continue;
    const { [key]: _, ...rest } = bare;
    bare = options === undefined ? rest : { ...rest, [key]: options };
  }
  return bare;
}

/** Options by provider; itself where it has no marks, `undefined` where nothing is left. */
function withoutMarks(options: Plain): Plain | undefined {
  const providers = Object.entries(options).flatMap(([provider, own]): [string, unknown][] => {
    if (!isRecord(own)) return own === undefined ? [] : [[provider, own]];
    const members = Object.entries(own).filter(([key, value]) => value !== undefined && !markKeys.has(key));
    if (members.length === 0) return [];
    return [[provider, members.length === Object.keys(own).length ? own : Object.fromEntries(members)]];
  });
  if (providers.length === 0) return undefined;
  const isAsItWas =
    providers.length === Object.keys(options).length &&
    providers.every(([provider, own]) => own === options[provider]);
  return isAsItWas ? options : Object.fromEntries(providers);
}

function isRecord(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
