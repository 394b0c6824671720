import { contextHeaders } from './context-headers.ts';
import { requestHeaders } from '../forward/headers.ts';
import { estimatedOutput } from '../stream/shared/facts.ts';
import { upstreamUrl } from '../forward/upstream.ts';
import type { AnswerFacts } from '../stream/shared/facts.ts';
import type { Asking } from '../manage/asking.ts';
import type { ContextManager } from '../manage/context-manager.ts';
import type { CountedPrompt } from '../manage/request-text.ts';
import type { Failure } from '../manage/silent-refusals.ts';
import type { Managed } from '../manage/managed.ts';
import type { ClientRequest } from '../wire/client-request.ts';
import type { ClientStream } from './client-stream.ts';
import type { CountingUpstreams } from '../forward/counting-upstreams.ts';
import type { KnownBodies } from '../wire/known-bodies.ts';
import type { KnownCompactions } from '../compaction/known-compactions.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProxyOptions, ProxyRoute, ProxyServices } from '../options/proxy-options.ts';
import type { TokenMeter } from '../forward/token-meter.ts';
import type { RenderedMessage } from '@throughline/core/types';
import type { Traffic } from '../state/traffic.ts';
import type { Untouched } from './context-headers.ts';
import type { UpstreamAnswer, Upstreams } from '../forward/upstream.ts';
import type { Windows } from '../limits/windows.ts';

/** One request to a route. */
export interface ProxiedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly routeName: string;
  /** Behind the route's address, with a slash in front, without the query. */
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly search: string;
  /** Who calls, where callers show tokens. */
  readonly owner: string;
  /** Told what was done to the context, before the answer is over. */
  readonly onDone?: (done: ContextDone) => void;
}

/** What was done to the context of a request, for counting. */
export interface ContextDone {
  readonly action: string;
  readonly savedTokens: number;
}

/** What the parts of a proxy share. */
export interface ProxyParts {
  readonly services: ProxyServices;
  readonly upstreams: Upstreams;
  readonly windows: Windows;
  readonly counting: CountingUpstreams;
  readonly compactions: KnownCompactions;
  readonly manager: ContextManager;
  readonly traffic: Traffic;
  readonly bodies: KnownBodies;
  readonly options: Required<Omit<ProxyOptions, 'routes'>>;
}

/** A request, and the route it is for. */
export interface RouteCall extends ProxiedRequest {
  readonly route: ProxyRoute;
  /** Where what this caller uses is counted. */
  readonly meter?: TokenMeter | undefined;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

export interface Ask extends RouteCall {
  readonly dialect: Dialect;
}

/** One try to get an answer. */
export interface Attempt {
  readonly ask: Ask;
  readonly answer: UpstreamAnswer;
  /** Where the answer goes if it is a stream, or if the client was told that one comes. */
  readonly client: ClientStream;
  readonly managed: Managed | Untouched;
  /** Another try may follow: what is too large can be told instead of handed on. */
  readonly canRetry: boolean;
  /** What the client has sent, where that is understood, and whose it is. */
  readonly request?: ClientRequest;
  readonly asking?: Asking;
  /** Awaited before the end of an answer goes out, and told where that is an error. */
  readonly beforeEnd: (failure?: Failure) => Promise<void>;
  /** What earlier calls for the same answer have said, in tokens. */
  readonly spentTokens: number;
  /** What the request of this answer had behind the client's messages. */
  readonly behind?: readonly RenderedMessage<unknown>[];
  /** The prompt of that request, at most, where more of it is known than of the client's messages. */
  readonly promptTokens?: number | undefined;
  /** How often something was recalled for the same answer. */
  readonly recalls?: number;
  readonly parts: ProxyParts;
}

/** What became of a try. */
export type Outcome = Answered | SaidTooLarge;

/** The client has been told how it ended. */
export interface Answered {
  readonly type: 'answered';
  /** It was an error, whatever its status. */
  readonly failure?: Failure;
}

/** The upstream has said that the request was too large, and the client has heard nothing of it. */
export interface SaidTooLarge {
  readonly type: 'too-large';
  /** It has said nothing at all, and may mean something else. */
  readonly isSilent?: true;
  /** The window that it named, or that its answer has shown. */
  readonly windowTokens?: number;
  /** What it counted, where it is the answer's own limit that does not fit beside the prompt. */
  readonly counted?: CountedPrompt;
  /** Hands on what was said after all: the request cannot be made smaller. */
  readonly handOn: () => Promise<void>;
}

/** The prompt of an attempt, by our own count. */
export function estimatedPrompt(managed: Managed, { promptTokens }: Pick<Attempt, 'promptTokens'>): number {
  return promptTokens ?? managed.step.report.tokens.final;
}

/** What all calls for an answer have said, this one included: as it was counted, or as it is estimated. */
export function spentBy({ spentTokens }: Pick<Attempt, 'spentTokens'>, facts: AnswerFacts): number {
  return spentTokens + (facts.usage?.outputTokens || estimatedOutput(facts));
}

export const answered: Answered = { type: 'answered' };
export const failed: Answered = { type: 'answered', failure: 'other' };

/** The headers of an answer, with what was done to the context. */
export function headersOf({ answer, managed }: Attempt): Record<string, string | string[] | number> {
  return { ...answer.headers, ...contextHeaders(managed) } as Record<string, string | string[]>;
}

/** What is done to a request, or to its answer: `read` is the client's own, and its answer is looked at. */
export type BodyUse = 'untouched' | 'read' | 'edited';

/** Sends a body to where the client's was to go. */
export async function sendBody(
  { request, route, path, search, signal, meter }: RouteCall,
  body: Buffer,
  { upstreams }: ProxyParts,
  use: BodyUse,
): Promise<UpstreamAnswer> {
  return await upstreams.send({
    url: upstreamUrl(route.upstream, path, search),
    method: 'POST',
    headers: {
      ...requestHeaders(request.headers, route, use === 'edited'),
      // What is read on its way is not to be decoded first.
      ...((use !== 'untouched' || meter) && { 'accept-encoding': 'identity' }),
      'content-length': String(body.byteLength),
    },
    body,
    signal,
    meter,
  });
}
