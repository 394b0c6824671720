export { createClient } from './create-client.ts';
export { ProblemError } from './http/problem-error.ts';
export type { Client, SessionEvent } from './create-client.ts';
export type { ClientOptions } from './http/http.ts';
export type { FollowOptions, Patience } from './events/follow-events.ts';
