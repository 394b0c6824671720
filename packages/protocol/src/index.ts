export type { Fault, Problem } from './types/index.ts';
