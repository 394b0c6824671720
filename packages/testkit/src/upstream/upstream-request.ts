import type { IncomingHttpHeaders } from 'node:http';
import type { Failure, FailureName } from './failures.ts';
import type { Fault } from './rules/rule.ts';
import type { Answer, AnswerScript, Asked, DialectName } from './model/scripted-answer.ts';
import type { ServerName } from './servers.ts';

export interface StrictUpstreamOptions {
  /** Tokens of prompt and answer, for all models or for each that there is; any other model is refused then. */
  readonly windowTokens?: number | Readonly<Record<string, number>>;
  /** In whose words it refuses, and how an answer ends at the wall. As its API's vendor, if left out. */
  readonly server?: ServerName;
  /** What a request is answered with; `answerByQuestion`, if left out. */
  readonly answer?: AnswerScript;
  /** For each request for an answer, in their order, or by the request. */
  readonly failures?:
    | readonly (FailureName | Failure | undefined)[]
    | ((request: UpstreamRequest) => FailureName | Failure | undefined);
  /** Fields of the body that it does not know; any other that it does not know is accepted. */
  readonly refusedFields?: readonly string[];
  /** Messages: refuses messages of role `system`. */
  readonly refusesSystemMessages?: boolean;
  /** Refuses a request whose last message is the assistant's. */
  readonly refusesPrefill?: boolean;
  /** Prompt and `max_tokens` together must fit; as the server does, if left out. */
  readonly countsMaxTokens?: boolean;
  /** Shortest prefix that is cached; 0. */
  readonly minimumCachedTokens?: number;
  /** `false`: caches, and does not say so. */
  readonly reportsCache?: boolean;
  /** `false`: the requests for counts are not found. */
  readonly canCount?: boolean;
}

/** One request as it came, and what became of it. */
export interface UpstreamRequest {
  readonly index: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As they came over the wire. */
  readonly bytes: Buffer;
  /** The body, decompressed and parsed; `undefined` if it is no JSON. */
  readonly json: unknown;
  readonly kind: 'answer' | 'count' | 'other';
  readonly dialect?: DialectName;
  /** How a script reads it; of a request that is well-formed enough to be read. */
  readonly asked?: Asked;
  readonly promptTokens?: number;
  /** Rules that it breaks. */
  readonly faults: readonly Fault[];
  readonly status: number;
  /** What it was answered with, if it was. */
  readonly answer?: Answer;
  /** The caller closed the connection before the answer had ended. */
  readonly wasAborted: boolean;
  /** Resolves when the answer has ended, or its connection is closed. */
  readonly ended: Promise<void>;
}

/** What is noted while a request is answered. */
export type NotedRequest = { -readonly [Key in keyof UpstreamRequest]: UpstreamRequest[Key] };
