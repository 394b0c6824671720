import { isObject } from '../../json/json.ts';
import type { Binding } from '../../transcript/entry.ts';
import type { WireObject } from '../decode-parts.ts';

/** What providers put beside a part, and what it binds the part to. */
const bindings: ReadonlyMap<string, Binding> = new Map<string, Binding>([
  ['signature', 'content'], // Anthropic, Bedrock
  ['redactedData', 'content'], // Anthropic, Bedrock
  ['redactedContent', 'content'],
  ['thoughtSignature', 'content'], // Google: on reasoning, calls and texts
  ['reasoningEncryptedContent', 'next-item'], // OpenAI
]);

/** Stored items of OpenAI are referred to by this id; a reasoning item then needs the item after it. */
const itemIdName = 'itemId';

export interface Signature {
  readonly binding?: Binding;
  /** Characters of signatures and encrypted content. */
  readonly length: number;
}

const unsigned: Signature = { length: 0 };

/** The signature of a part, from `providerOptions` and `providerMetadata`, whatever the provider is called. */
export function readSignature(part: WireObject): Signature {
  if (part['providerOptions'] === undefined && part['providerMetadata'] === undefined) return unsigned;
  let binding: Binding | undefined;
  let length = 0;
  for (const { options } of providersOf(part)) {
    for (const [name, binds] of bindings) {
      const secret = options[name];
      if (typeof secret !== 'string' || secret === '') continue;
      binding = binds;
      length += secret.length;
    }
    if (part['type'] === 'reasoning' && typeof options[itemIdName] === 'string') binding ??= 'next-item';
  }
  return binding ? { binding, length } : { length };
}

/** Places of the ids under which OpenAI stores a part: with one, its stored form is sent instead of its content. */
export function itemIdPlaces(part: unknown): readonly (readonly string[])[] {
  if (!isObject(part)) return [];
  return providersOf(part)
    .filter(({ options }) => typeof options[itemIdName] === 'string')
    .map(({ at }) => [...at, itemIdName]);
}

/** Does a provider mark this text as its own compaction? */
export function isCompactionText(part: WireObject): boolean {
  if (part['providerOptions'] === undefined && part['providerMetadata'] === undefined) return false;
  return providersOf(part).some(({ options }) => options['type'] === 'compaction');
}

interface ProviderFields {
  readonly at: readonly string[];
  readonly options: WireObject;
}

const fields = ['providerOptions', 'providerMetadata'];

function providersOf(part: WireObject): readonly ProviderFields[] {
  const found: ProviderFields[] = [];
  for (const field of fields) {
    const providers = part[field];
    if (!isObject(providers)) continue;
    for (const name of Object.keys(providers)) {
      const options = providers[name];
      if (isObject(options)) found.push({ at: [field, name], options });
    }
  }
  return found;
}
