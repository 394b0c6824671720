import { sendBody } from './attempt.ts';
import { answerCompaction } from './local-compaction.ts';
import { cannotFitOf } from '../manage/context-manager.ts';
import { clientCompactionIn, isTriggered } from '../compaction/client-compaction.ts';
import { ClientStream } from './client-stream.ts';
import { decoded } from '../forward/decode-answer.ts';
import { endpointHeaders, requestHeaders, scopeOf, sessionLabelOf, waysOf } from '../forward/headers.ts';
import { faultOf, ProxyFault } from '../wire/proxy-fault.ts';
import { offeringRecall } from '../recall/offer-recall.ts';
import { readBody } from '../wire/read-body.ts';
import { readClientRequest } from '../wire/client-request.ts';
import { relayStream } from './relay-stream.ts';
import { relayWhole } from './relay-whole.ts';
import { routeAddress } from '../forward/upstream.ts';
import { withSmallerAnswer } from '../manage/request-text.ts';
import { withExpandedTokens } from '../compaction/compaction-token.ts';
import type { Ask, Attempt, BodyUse, ContextDone, Outcome, ProxyParts, SaidTooLarge } from './attempt.ts';
import type { Failure } from '../manage/silent-refusals.ts';
import type { Asking, TooLarge } from '../manage/asking.ts';
import type { Managed } from '../manage/managed.ts';
import type { ClientRequest } from '../wire/client-request.ts';
import type { ModelEndpoint, ProxyRoute } from '../options/proxy-options.ts';
import type { ReadBody } from '../wire/read-body.ts';
import type { Untouched } from './context-headers.ts';
import type { UpstreamAnswer } from '../forward/upstream.ts';

/** An upstream that calls a request too large is asked so often with a smaller one. */
const mostRetries = 3;

/** Answers a question to a model: makes its context fit, asks, and asks again with less where the upstream says so. */
export async function answerAsk(ask: Ask, parts: ProxyParts): Promise<void> {
  const { request, route, owner, dialect } = ask;
  const read = await readBody(request, parts.options.maxBodyBytes);
  const body = dialect.name === 'responses' ? withExpandedTokens(read) : read;
  const before = { bodies: parts.bodies, place: scopeOf(route, owner, request.headers) };
  const given = body.text === undefined ? undefined : readClientRequest(dialect, body.text, before);
  using client = new ClientStream(ask.response, { ...parts.options, dialect: dialect.name });
  if (given?.isStreamed === true) client.watch();
  try {
    await answerGiven({ ask, body, given, client }, parts);
  } catch (error) {
    if (ask.signal.aborted || !client.isCommitted || !given?.isStreamed) throw error;
    client.fail(faultOf(error, parts.services.log).streamFault(ask.dialect.name));
  }
}

interface ReadAsk {
  readonly ask: Ask;
  readonly body: ReadBody;
  /** `undefined` where the body is not understood. */
  readonly given: ClientRequest | undefined;
  readonly client: ClientStream;
}

async function answerGiven({ ask, body, given, client }: ReadAsk, parts: ProxyParts): Promise<void> {
  const asking = given && (await askingOrNone(ask, given, parts));
  if (given && asking && isAnsweredHere(given, ask.route))
    return await answerCompaction({ ask, given, asking, parts, form: 'response', client });
  return await answerManaged(
    { ask, body, given: given && asking ? offeringRecall(given, asking) : given, client },
    asking,
    parts,
  );
}

async function answerManaged(
  { ask, body, given, client }: ReadAsk,
  asking: Asking | undefined,
  parts: ProxyParts,
): Promise<void> {
  let managed: Managed | Untouched =
    given && !asking ? 'failed' : await manage(ask, { given, asking }, parts);
  let isNoted = false;
  const note = async (): Promise<void> => {
    if (typeof managed === 'string' || !asking || isNoted) return;
    isNoted = true;
    if (managed.snapshot.state.changes.length > 0) parts.traffic.count(ask.route.name, 'changed');
    await parts.manager.answered(managed, asking);
  };
  // Behind the answer, whatever became of it: what was asked was asked.
  using _ = { [Symbol.dispose]: () => void note() };
  const first = managed;
  // A request that was called too large is so, whatever is wrong with the smaller one.
  let saidSize = false;
  // What was made smaller in vain, because its size was not what was refused, does not stay.
  const settle = async (failure: Failure | undefined): Promise<void> => {
    if (typeof managed === 'string') return;
    if (saidSize || !failure) return parts.manager.heard(managed);
    if (managed !== first) await parts.manager.takeBack(managed, failure);
    managed = first;
  };
  // What it means for the size is written down with it.
  const beforeEnd = async (failure?: Failure): Promise<void> => {
    await settle(failure);
    await note();
  };
  let sent = bodyOf(body, given, managed);
  for (let retries = 0; ; retries += 1) {
    const outcome = await tryOnce(
      { ask, given, client, asking, managed, sent, retries, beforeEnd },
      parts,
    ).catch(async (error: unknown) => {
      if (!ask.signal.aborted) await settle('other');
      throw error;
    });
    saidSize ||= outcome.type === 'too-large' && outcome.isSilent !== true;
    const smaller =
      outcome.type === 'too-large' && given && asking && typeof managed !== 'string'
        ? await smallerAfter(outcome, { ask, body, given, asking, managed, sent, retries }, parts)
        : undefined;
    if (smaller) ({ managed, sent } = smaller);
    else {
      await settle(outcome.type === 'answered' ? outcome.failure : 'bad-request');
      if (outcome.type === 'answered') return ask.onDone?.(doneOf(managed));
      await note();
      return await outcome.handOn();
    }
  }
}

interface Try extends Pick<Attempt, 'ask' | 'client' | 'managed' | 'beforeEnd'>, Given {
  readonly sent: Sent;
  readonly retries: number;
}

async function tryOnce({ given, asking, sent, retries, ...tried }: Try, parts: ProxyParts): Promise<Outcome> {
  const { ask, managed } = tried;
  const said = await sendBody(ask, sent.bytes, parts, sent.use);
  // What is not looked at goes through in its encoding.
  const answer = isEventStream(said, given) && typeof managed !== 'string' ? decoded(said) : said;
  const isReadable = answer !== undefined && answer.headers['content-encoding'] === undefined;
  const relay = isReadable && isEventStream(answer, given) ? relayStream : relayWhole;
  return await relay({
    ...tried,
    answer: answer ?? said,
    managed: answer ? managed : 'not-understood',
    canRetry: typeof managed !== 'string' && retries < mostRetries,
    spentTokens: 0,
    parts,
    ...(given && { request: given }),
    ...(asking && { asking }),
  });
}

interface Tried extends Pick<ReadAsk, 'ask' | 'body'> {
  readonly given: ClientRequest;
  readonly asking: Asking;
  readonly managed: Managed;
  readonly sent: Sent;
  readonly retries: number;
}

/** `undefined` where there is nothing that could get another answer. */
async function smallerAfter(
  refusal: SaidTooLarge,
  { ask, body, given, asking, managed, sent, retries }: Tried,
  parts: ProxyParts,
): Promise<{ readonly managed: Managed; readonly sent: Sent } | undefined> {
  parts.traffic.count(ask.route.name, 'overflows');
  if (refusal.windowTokens !== undefined) parts.windows.learn(asking.endpoint, refusal.windowTokens);
  const { counted, windowTokens, isSilent } = refusal;
  // Who says nothing twice does not mean the size.
  if (isSilent && (retries > 0 || !parts.manager.mayMeanSize(managed))) return undefined;
  const tooLarge = {
    refused: managed,
    ...(windowTokens !== undefined && { windowTokens }),
    ...(isSilent && { isSilent }),
  };
  const smaller =
    // The cheaper way, where the upstream only has no room for the answer.
    (counted && retries < mostRetries - 1 ? withSmallerAnswer(given, managed, counted) : undefined) ??
    (await makeSmaller(ask, given, parts, tooLarge));
  const next = smaller && bodyOf(body, given, smaller);
  // The same bytes get the same answer.
  return smaller && next && !next.bytes.equals(sent.bytes) ? { managed: smaller, sent: next } : undefined;
}

/** `undefined` where it cannot be told, for a reason of ours. */
async function askingOrNone(ask: Ask, given: ClientRequest, parts: ProxyParts): Promise<Asking | undefined> {
  try {
    return await askingOf(ask, given, parts);
  } catch (error) {
    notManaged(ask, error, parts);
    return undefined;
  }
}

/** @throws {ProxyFault} where the route is closed to what cannot be managed. */
function notManaged({ route }: Ask, error: unknown, { services }: ProxyParts): void {
  services.log?.warn(
    { route: route.name, error: String(error) },
    'The context of a request cannot be managed',
  );
  if (route.onFailure === 'closed')
    throw new ProxyFault('fault', 'The context of this request cannot be managed.');
}

function doneOf(managed: Managed | Untouched): ContextDone {
  if (typeof managed === 'string') return { action: managed, savedTokens: 0 };
  const { before, final } = managed.step.report.tokens;
  return { action: managed.action, savedTokens: Math.max(0, before - final) };
}

/** Most upstreams do not know the trigger, and those that do have no use for our tokens. */
function isAnsweredHere(given: ClientRequest, { compaction }: ProxyRoute): boolean {
  return compaction !== 'upstream' && isTriggered(given) && !given.dialect.unmanaged(given.body);
}

/** `undefined` where it cannot be made smaller: then what the upstream has said is the best answer there is. */
async function makeSmaller(
  ask: Ask,
  given: ClientRequest,
  parts: ProxyParts,
  tooLarge: TooLarge,
): Promise<Managed | undefined> {
  try {
    const asking = await askingOf(ask, given, parts);
    const managed = await manage(ask, { given, asking }, parts, tooLarge);
    return typeof managed === 'string' ? undefined : managed;
  } catch (error) {
    if (ask.signal.aborted) throw error;
    return undefined;
  }
}

/** What no stream is, whatever was asked for: errors, and answers of those who cannot stream. */
const wholeTypes = /^(?:application\/(?:[\w.+-]+\+)?json|text\/html)\b/i;

function isEventStream({ status, headers }: UpstreamAnswer, given: ClientRequest | undefined): boolean {
  if (status !== 200) return false;
  const type = String(headers['content-type'] ?? '');
  // Some call their streams plain text, or nothing.
  return /^text\/event-stream\b/i.test(type) || (given?.isStreamed === true && !wholeTypes.test(type));
}

/** Whose request it is, and what is known of where it goes. */
export async function askingOf(ask: Ask, given: ClientRequest, { windows }: ProxyParts): Promise<Asking> {
  const { model } = given;
  const { route, dialect, owner, signal } = ask;
  const { headers } = ask.request;
  const endpoint: ModelEndpoint = {
    dialect: dialect.name,
    baseUrl: routeAddress(route),
    model,
    headers: endpointHeaders(requestHeaders(headers, route, false)),
    asClient: waysOf(headers, route, ask.search),
  };
  const limits = await windows.limitsOf(route, endpoint);
  const scope = scopeOf(route, owner, headers);
  const label = sessionLabelOf(headers);
  const clientCompaction = clientCompactionIn(given, headers);
  return {
    route,
    scope,
    endpoint,
    limits,
    signal,
    owner,
    ...(label !== undefined && { label }),
    ...(clientCompaction !== undefined && { clientCompaction }),
  };
}

interface Given {
  readonly given: ClientRequest | undefined;
  readonly asking: Asking | undefined;
}

/** @throws {ProxyFault} `cannot-fit` with its parts; `fault` where the route is closed to what cannot be managed. */
async function manage(
  ask: Ask,
  { given, asking }: Given,
  parts: ProxyParts,
  tooLarge?: TooLarge,
): Promise<Managed | Untouched> {
  if (!given || !asking) return 'not-understood';
  if (given.dialect.unmanaged(given.body) !== undefined) return 'server-held';
  try {
    const managed = await parts.manager.manage(given, asking, tooLarge);
    logCompaction(managed, given, { services: parts.services, tooLarge, by: asking.clientCompaction });
    return managed;
  } catch (error) {
    if (ask.signal.aborted) throw error;
    const cannotFit = cannotFitOf(error);
    // A window that is only assumed says nothing: the upstream may take it.
    if (cannotFit && asking.limits.window.source !== 'default') {
      throw new ProxyFault('cannot-fit', cannotFit.message, { cause: error });
    }
    if (cannotFit) parts.windows.assumeLarger(asking.endpoint);
    const limits = parts.windows.known(ask.route, asking.endpoint);
    // Managed in a larger window it is followed as any other: a refusal is told to nobody.
    if (cannotFit && limits.window.tokens > asking.limits.window.tokens)
      return await manage(ask, { given, asking: { ...asking, limits } }, parts, tooLarge);
    notManaged(ask, error, parts);
    return 'failed';
  }
}

interface Sent {
  readonly bytes: Buffer;
  readonly use: BodyUse;
}

/** What goes to the upstream: the client's own bytes, unless something of them is another. */
function bodyOf(
  { bytes, isRewritten }: ReadBody,
  given: ClientRequest | undefined,
  managed: Managed | Untouched,
): Sent {
  const isManaged = typeof managed !== 'string';
  const text = isManaged ? (managed.text ?? (given?.offersRecall && given.text)) : undefined;
  if (text !== undefined) return { bytes: Buffer.from(text), use: 'edited' };
  return { bytes, use: isRewritten === true ? 'edited' : isManaged ? 'read' : 'untouched' };
}

interface Logged {
  readonly services: ProxyParts['services'];
  readonly tooLarge: TooLarge | undefined;
  /** By what the client's own compaction was recognised. */
  readonly by: string | undefined;
}

function logCompaction(
  { step, action }: Managed,
  { messages }: ClientRequest,
  { services, tooLarge, by }: Logged,
): void {
  if (action === 'none' || action === 'replayed') return;
  const { before, final } = step.report.tokens;
  if (action === 'client-compaction') {
    services.log?.info(
      { action, by, before, final },
      `[Context] The client compacts its history: ${before} tokens`,
    );
    return;
  }
  const last = messages.at(-1) as { readonly role?: unknown; readonly type?: unknown } | undefined;
  const isResult = last?.role === 'tool' || last?.type === 'function_call_output';
  const when = tooLarge ? 'Overflow' : isResult ? 'Tool result' : 'Pre-request';
  services.log?.info({ action, before, final }, `[Context] ${when} compaction: ${before} → ${final} tokens`);
}
