import { expectation, faultAt } from '../yaml/config-fault.ts';
import { expectedModel } from '../schema/model-section.ts';
import { keyName, keyPlaceAt, nodeAt, placeAt, plainValue } from '../yaml/located.ts';
import { keysAt, knownKeys } from '../schema/known-keys.ts';
import { nearestKey } from '../schema/nearest-key.ts';
import { shownText, shownValue } from '../schema/secrets.ts';
import { findModel } from '@throughline/core/settings';
import { providerNames, providers } from '../schema/providers.ts';
import type { z } from 'zod';
import type { ConfigFault } from '../yaml/config-fault.ts';
import type { KeyPath, Located } from '../yaml/located.ts';

type Issue = z.core.$ZodIssue;

/** What the schema has against a configuration, as faults with their places. */
export function describeIssue(root: Located, issue: Issue, around: KeyPath = []): readonly ConfigFault[] {
  const path = [...around, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(root, path, key));
  const node = nodeAt(root, path);
  if (issue.code === 'invalid_union') {
    return nearestBranch(issue.errors, node).flatMap((one) => describeIssue(root, one, path));
  }
  if (issue.code === 'invalid_key') {
    const expected = issue.issues[0]?.message ?? 'a name';
    const found = JSON.stringify(shownKey(String(path.at(-1))));
    return [expectation(keyPlaceAt(root, path), keyName(path.slice(0, -1)), { expected, found })];
  }
  const value = node && plainValue(node);
  const told = { expected: issue.message, found: shownValue(value, path), suggestion: suggest(issue, value) };
  return [expectation(placeAt(root, path), keyName(path), told)];
}

/** The form that somebody most likely meant: the one that takes such a value at all, with least against it. */
function nearestBranch(branches: readonly (readonly Issue[])[], node: Located | undefined): readonly Issue[] {
  const inside = branches.filter((issues) =>
    issues.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  const likely = node?.type === 'map' && inside.length > 0 ? inside : branches;
  const [first = [], ...others] = likely;
  return others.reduce((best, one) => (weight(one) < weight(best) ? one : best), first);
}

function weight(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

function suggest(issue: Issue, value: unknown): string | undefined {
  if (issue.code !== 'custom' || typeof value !== 'string') return undefined;
  const known: unknown = issue.params?.['known'];
  const nearest = Array.isArray(known) ? nearestKey(value, known.map(String)) : undefined;
  return nearest ?? (issue.message.endsWith(expectedModel) ? suggestModel(value) : undefined);
}

const keyLike = /^(api[-_]?key|access[-_]?key|key|token|secret|password)$/i;

function unknownKey(root: Located, path: KeyPath, key: string): ConfigFault {
  const place = keyPlaceAt(root, [...path, key]);
  const name = keyName([...path, shownKey(key)]);
  const known = keysAt(path);
  const byName = known.find((one) => one.endsWith('Env') && /key|token/i.test(one));
  if (keyLike.test(key) && byName !== undefined && !known.includes('apiKey')) {
    const message = `a secret does not belong into the file: put it into an environment variable, and that variable's name here as ${byName}.`;
    return { ...faultAt(place, name, message), suggestion: byName };
  }
  if (known.includes(key)) return faultAt(place, name, 'does not go with the other keys that stand here.');
  const nearest = nearestKey(key, known) ?? elsewhere(key);
  if (nearest === undefined) return faultAt(place, name, `unknown key; known here: ${known.join(', ')}.`);
  return { ...faultAt(place, name, `unknown key; did you mean ${nearest}?`), suggestion: nearest };
}

/** A key of that very name in another section. */
function elsewhere(key: string): string | undefined {
  const paths = knownKeys.map(({ path }) => path).filter((path) => !path.includes('*'));
  const found = paths.find((path) => path.at(-1)?.toLowerCase() === key.toLowerCase());
  return found && keyName(found);
}

const maxKeyChars = 64;

function shownKey(key: string): string {
  const line = shownText(key.replace(/\p{Cc}/gu, ' ').toWellFormed());
  return line.length <= maxKeyChars ? line : `${line.slice(0, maxKeyChars).toWellFormed()}…`;
}

/** What somebody who wrote `gpt-5` or `openai/gpt-5` most likely meant, as `provider:name`. */
function suggestModel(value: string): string | undefined {
  const [, first = '', rest = ''] = /^([^:/\s]+)[:/](\S+)$/.exec(value.trim()) ?? [];
  const provider = nearestKey(first, providerNames);
  if (rest !== '' && provider !== undefined) return `${provider}:${rest}`;
  const known = findModel(value)?.entry.provider;
  return known !== undefined && Object.hasOwn(providers, known) ? `${known}:${value.trim()}` : undefined;
}
