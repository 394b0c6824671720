export { ProblemError } from './problem-error.ts';
