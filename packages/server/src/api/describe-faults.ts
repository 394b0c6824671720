import type { Fault } from '@throughline/protocol';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Where the value that was checked stands in a request. */
export type RequestPart = 'body' | 'query' | 'path';

const mostFaults = 20;

/** What is wrong with a value, a place and a sentence each. What was received is not repeated. */
export function describeFaults(issues: readonly Issue[], place: RequestPart): readonly Fault[] {
  // Each has a fault at the least: those behind the first are not looked at.
  return issues
    .slice(0, mostFaults)
    .flatMap((issue) => faultsOf(issue, []))
    .slice(0, mostFaults)
    .map(({ path, message }) => ({ path: placeOf(path, place), message }));
}

interface Found {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function faultsOf(issue: Issue, above: readonly PropertyKey[]): readonly Found[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownName(issue) }));
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return ofUnion(issue.errors, path);
  return [{ path, message: sentenceOf(issue) }];
}

/** A schema may say more of it than that. */
function unknownName({ message }: Issue): string {
  return message.startsWith('is not known here') ? message : 'is not known here';
}

/** Faults of the form that was probably meant, of several: the one whose faults lie deepest. Where it is none, all are named. */
function ofUnion(branches: readonly (readonly Issue[])[], path: readonly PropertyKey[]): readonly Found[] {
  const depth = (branch: readonly Issue[]): number =>
    branch.reduce((deepest, issue) => Math.max(deepest, issue.path.length), 0);
  const nearest = branches.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
  if (depth(nearest) > 0 || nearest[0]?.code !== 'invalid_type')
    return nearest.flatMap((issue) => faultsOf(issue, path));
  const types = branches.flatMap(([first]) => (first?.code === 'invalid_type' ? [first.expected] : []));
  return [{ path, message: `expected ${types.join(' or ')}` }];
}

function sentenceOf(issue: Issue): string {
  if (issue.code === 'invalid_type') return `expected ${issue.expected}`;
  if (issue.code === 'invalid_value') return `expected ${issue.values.map(String).join(' or ')}`;
  return issue.message;
}

function placeOf(path: readonly PropertyKey[], place: RequestPart): string {
  if (place !== 'body') return [place, ...path.map(String)].join('.');
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
