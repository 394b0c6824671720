export { createClient } from './create-client.ts';
export { createTextReader } from './events/text-reader.ts';
export { ProblemError } from './http/http.ts';
export type { Client, CreateClientOptions } from './create-client.ts';
export type { CallOptions, Calls, WaitAnswer } from './calls/calls.ts';
export type { ClientOptions } from './http/http.ts';
export type { FollowAllOptions, FollowOptions, Reconnection } from './events/follow-events.ts';
export type { TextReader } from './events/text-reader.ts';
export type * from '@throughline/protocol/types';
