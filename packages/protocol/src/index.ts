export { problems } from './problems.ts';
export type { ProblemCode, ProblemKind } from './problems.ts';
export type { Fault, Problem } from './types/problem.ts';
