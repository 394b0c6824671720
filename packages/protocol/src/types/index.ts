export type { Fault, Problem } from './problem.ts';
