export { openSession } from './services.ts';
export type { Caller, Models, Services } from './services.ts';
