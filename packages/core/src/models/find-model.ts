import { checkOption, optionalText } from '../errors/check-options.ts';
import type { ModelEntry } from './model-entry.ts';
import { anthropicModels } from './anthropic-models.ts';
import { googleModels } from './google-models.ts';
import { hostedModels } from './hosted-models.ts';
import { openWeightsModels } from './open-weights-models.ts';
import { openaiModels } from './openai-models.ts';

/** What had to be taken off or changed before the id matched: the last of it, in this order. */
type ModelMatch = 'id' | 'alias' | 'prefix' | 'tag' | 'suffix' | 'spelling';

/** A model of the catalogue, and how its id was recognised. */
export interface FoundModel {
  readonly entry: ModelEntry;
  readonly matchedBy: ModelMatch;
}

/** The built-in catalogue. Ids and aliases are unique and lower case. */
export const knownModels: readonly ModelEntry[] = [
  ...openaiModels,
  ...anthropicModels,
  ...googleModels,
  ...hostedModels,
  ...openWeightsModels,
];

const byName = new Map<string, { readonly entry: ModelEntry; readonly isAlias: boolean }>();
const bySpelling = new Map<string, ModelEntry>();
for (const entry of knownModels) {
  for (const name of [entry.id, ...entry.aliases]) {
    byName.set(name, { entry, isAlias: name !== entry.id });
    if (!bySpelling.has(spellingOf(name))) bySpelling.set(spellingOf(name), entry);
  }
}

const longestId = 200;

/**
 * The catalogue's entry for a model id as hosts, gateways and local servers write it: `openai/gpt-5.4`,
 * `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `models/gemini-2.5-pro`, `gpt-oss:20b`, `~Claude-Opus-4.5`,
 * `qwen3-8b-q4_k_m.gguf`. A newer model of a known family is not guessed at: `undefined`.
 *
 * @throws {ContextError} `invalid-option` for an id that is no text.
 */
export function findModel(id: string): FoundModel | undefined {
  checkOption('id', optionalText, id);
  const name = id.trim().toLowerCase();
  if (name === '' || name.length > longestId) return undefined;
  const known = byName.get(name);
  if (known) return { entry: known.entry, matchedBy: known.isAlias ? 'alias' : 'id' };

  const bare = withoutPrefix(name);
  for (const [matchedBy, candidates] of [
    ['prefix', [bare]],
    ['tag', tagForms(bare)],
    ['suffix', tagForms(bare).flatMap(withoutSuffixes)],
  ] as const) {
    const entry = candidates.map(entryNamed).find((found) => found !== undefined);
    if (entry) return { entry, matchedBy };
  }
  const entry = tagForms(bare)
    .flatMap((form) => [form, ...withoutSuffixes(form)])
    .map((form) => entryNamed(reordered(form)))
    .find((found) => found !== undefined);
  return entry && { entry, matchedBy: 'spelling' };
}

/** By name, else by spelling: `gemma3-12b` is `gemma-3-12b`, before its tag is taken for no more than a variant. */
function entryNamed(name: string): ModelEntry | undefined {
  return byName.get(name)?.entry ?? bySpelling.get(spellingOf(name));
}

/** Gateways put paths in front, Bedrock a region and a vendor. */
function withoutPrefix(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1).replace(/^~/, '');
  return last
    .replace(/^(us|eu|apac|jp|au|ca|global|us-gov)\./, '')
    .replace(
      /^(anthropic|amazon|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|openai|qwen|xai|zai)\./,
      '',
    );
}

/** `gpt-oss:20b` is the size of `gpt-oss-20b`, `…:free` and `…@20250929` say nothing of the model. */
function tagForms(name: string): readonly string[] {
  const at = name.search(/[:@]/);
  if (at < 0) return [name];
  return [name.slice(0, at) + '-' + name.slice(at + 1), name.slice(0, at)];
}

const suffix =
  /(-(20\d{6}|20\d\d-\d\d-\d\d|\d\d-\d\d|\d\d-20\d\d|\d{3,4}|v\d+|latest|preview|exp|instruct|it|chat|thinking|maas|tee|gguf|mlx|awq|gptq|fp8|bf16|fp16|nvfp4|mxfp4|int[48]|[348]bit|i?q\d\w*)|\.gguf)$/;

/** The name with its endings taken off one by one: dates, versions, variants, quantisations, file types. */
function withoutSuffixes(name: string): readonly string[] {
  const forms: string[] = [];
  let rest = name;
  for (let found = suffix.exec(rest); found !== null; found = suffix.exec(rest)) {
    rest = rest.slice(0, found.index);
    forms.push(rest);
  }
  return forms;
}

/** `claude-4.5-sonnet` and `claude-sonnet-4-5`. */
function reordered(name: string): string {
  const older = /^claude-(\d(?:[.-]\d)?)-(fable|opus|sonnet|haiku)$/.exec(name);
  if (older) return `claude-${older[2]}-${older[1]}`;
  const newer = /^claude-(opus|sonnet|haiku)-(\d(?:[.-]\d)?)$/.exec(name);
  return newer ? `claude-${newer[2]}-${newer[1]}` : name;
}

/** `claude-opus-4.5`, `llama3.3` and `Qwen 2.5` are written in several ways; `5p3` is how one host writes `5.3`. */
function spellingOf(name: string): string {
  return name.replace(/(\d)p(\d)/g, '$1$2').replace(/[-_. ]/g, '');
}
