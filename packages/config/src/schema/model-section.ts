import { z } from 'zod';
import { field, group, requiredField } from '../fields/field.ts';
import {
  address,
  duration,
  hiddenText,
  hiddenTexts,
  number,
  oneOf,
  tokens,
  variableName,
  word,
} from '../fields/rules.ts';
import { demoProvider, providerNames } from './providers.ts';
import type { FieldRule } from '../fields/field.ts';
import type { ProviderName } from './providers.ts';

/** Summaries are written by the model of the session. */
const sameModel = 'same';

/** A model as it is written. */
export type WrittenModel = z.output<typeof modelGroup>;

const modelGroup = group(
  {
    provider: requiredField(oneOf(...providerNames), {
      about: 'Who is asked. `openai-compatible`: any other server that speaks Chat Completions.',
    }),
    name: field(word('the name of a model, without blanks'), {
      about: 'The name the provider knows the model by. All but `demo` need one.',
    }),
    baseUrl: field(address, {
      about: 'Where the server is, up to and including the version (for `anthropic` with or without it).',
      defaultText: 'that of the provider',
    }),
    apiKeyEnv: field(variableName, {
      about: 'Name of the environment variable that holds the key.',
      defaultText: "the provider's own at its own address, else `THROUGHLINE_API_KEY`",
    }),
    apiKey: field(hiddenText, {
      about: 'The key itself. Better not in a file: use `apiKeyEnv`.',
      defaultText: 'what the variable holds',
    }),
    headers: field(hiddenTexts, {
      about: 'Sent with every request. `${NAME}` is what an environment variable holds.',
    }),
    windowTokens: field(tokens(1_000), {
      about: 'Tokens the model accepts, prompt and answer together.',
      defaultText: 'what the server says, else the catalogue',
    }),
    maxOutputTokens: field(tokens(1), {
      about: 'Most tokens the model can answer with.',
      defaultText: 'what the server says, else the catalogue',
    }),
    temperature: field(number(0, 2), {
      about: 'Sent with every request.',
      defaultText: 'not sent',
    }),
    timeoutMs: field(duration(1), { about: 'Time until the server begins to answer.', default: 600_000 }),
    idleTimeoutMs: field(duration(1), {
      about: 'Longest silence in the middle of an answer.',
      default: 300_000,
    }),
  },
  'A model and where it is.',
);

/** How a text that names a model has to look. */
export const expectedModel = `a model as "provider:name" (providers: ${providerNames.join(', ')}), or a section with provider and name`;

const pattern = `(${demoProvider}|(${providerNames.join('|')}):\\S+)`;

const shortModel: FieldRule<string> = {
  expected: expectedModel,
  read: (value) => (splitModel(value) ? String(value).trim() : undefined),
  json: { type: 'string', pattern: `^${pattern}$` },
};

const summaryModel: FieldRule<string> = {
  expected: `"${sameModel}", or ${expectedModel}`,
  read: (value) => (value === sameModel ? sameModel : shortModel.read(value)),
  json: { type: 'string', pattern: `^(${sameModel}|${pattern})$` },
  known: [sameModel],
};

/** `provider:name` or a section. */
export function modelSection(about: string) {
  return z
    .union([requiredField(shortModel, { about }), modelGroup])
    .meta({ description: about })
    .optional();
}

/** The model that writes summaries: `same`, or like `model`. */
export function summarizerSection(about: string) {
  return z
    .union([requiredField(summaryModel, { about }), modelGroup])
    .meta({ description: about, defaultValue: sameModel })
    .optional();
}

/** `provider:name` taken apart; the name of a model may hold colons. */
export function splitModel(
  value: unknown,
): { readonly provider: ProviderName; readonly name?: string } | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (text === demoProvider) return { provider: demoProvider };
  const colon = text.indexOf(':');
  const provider = providerNames.find((one) => one === text.slice(0, Math.max(0, colon)));
  const name = text.slice(colon + 1);
  return provider !== undefined && /^\S+$/.test(name) ? { provider, name } : undefined;
}

/** A model with every key, however it was written. */
export function writtenModel(value: string | WrittenModel): WrittenModel {
  return typeof value === 'string' ? modelGroup.parse(splitModel(value)) : value;
}
