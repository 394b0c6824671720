import { sendBody } from './attempt.ts';
import { answerCompaction } from './local-compaction.ts';
import { cannotFitOf } from '../manage/context-manager.ts';
import { clientCompactionIn, isTriggered } from '../compaction/client-compaction.ts';
import { ClientStream } from './client-stream.ts';
import { decoded } from '../forward/decode-answer.ts';
import { endpointHeaders, requestHeaders, scopeOf, sessionLabelOf, waysOf } from '../forward/headers.ts';
import { ProxyFault } from '../wire/proxy-fault.ts';
import { offeringRecall } from '../recall/offer-recall.ts';
import { readBody } from '../wire/read-body.ts';
import { readClientRequest } from '../wire/client-request.ts';
import { relayStream } from './relay-stream.ts';
import { relayWhole } from './relay-whole.ts';
import { routeAddress } from '../forward/upstream.ts';
import { withExpandedTokens } from '../compaction/compaction-token.ts';
import type { Ask, BodyUse, ContextDone, Outcome, ProxyParts, SaidTooLarge } from './attempt.ts';
import type { Asking, TooLarge } from '../manage/asking.ts';
import type { Managed } from '../manage/context-manager.ts';
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
    const isOurs = error instanceof ProxyFault;
    if (!isOurs) parts.services.log?.warn({ error: String(error) }, 'An error that nobody foresaw');
    const fault = isOurs ? error : new ProxyFault('fault', 'Something went wrong in the proxy.');
    client.fail(fault.streamFault(ask.dialect.name));
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
  let sent = bodyOf(body, given, managed);
  for (let retries = 0; ; retries += 1) {
    const said = await sendBody(ask, sent.bytes, parts, sent.use).catch(async (error: unknown) => {
      if (!saidSize) await takenBack(first, managed, parts);
      throw error;
    });
    // What is not looked at goes through in its encoding.
    const answer = isEventStream(said, given) && typeof managed !== 'string' ? decoded(said) : said;
    const isReadable = answer !== undefined && answer.headers['content-encoding'] === undefined;
    const relay = isReadable && isEventStream(answer, given) ? relayStream : relayWhole;
    const outcome = await relay({
      ask,
      answer: answer ?? said,
      client,
      managed: answer ? managed : 'not-understood',
      canRetry: typeof managed !== 'string' && retries < mostRetries,
      beforeEnd: note,
      spentTokens: 0,
      parts,
      ...(given && { request: given }),
      ...(asking && { asking }),
    });
    saidSize ||= outcome.type === 'too-large' && !isSilent(outcome);
    const smaller =
      outcome.type === 'too-large' && given && asking
        ? await smallerAfter(outcome, { ask, body, given, asking, managed, sent, retries }, parts)
        : undefined;
    if (smaller) ({ managed, sent } = smaller);
    else {
      if (!saidSize && isRefused(outcome)) managed = await takenBack(first, managed, parts);
      return outcome.type === 'answered' ? ask.onDone?.(doneOf(managed)) : await outcome.handOn();
    }
  }
}

function isSilent(outcome: Outcome): boolean {
  return outcome.type === 'too-large' && outcome.isSilent === true;
}

/** It has failed, and not because it is too large, as far as anybody has said. */
function isRefused(outcome: Outcome): boolean {
  if (outcome.type === 'too-large') return isSilent(outcome);
  return outcome.failure === 'refused' || outcome.failure === 'other';
}

/** What was made smaller in vain, because its size was not what was refused, does not stay. */
async function takenBack(
  first: Managed | Untouched,
  managed: Managed | Untouched,
  { manager }: ProxyParts,
): Promise<Managed | Untouched> {
  if (typeof first === 'string' || typeof managed === 'string' || managed === first) return managed;
  await manager.takeBack(first, managed);
  return first;
}

interface Tried extends Pick<ReadAsk, 'ask' | 'body'> {
  readonly given: ClientRequest;
  readonly asking: Asking;
  readonly managed: Managed | Untouched;
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
  // Who says nothing twice does not mean the size.
  if (refusal.isSilent === true && retries > 0) return undefined;
  const smaller =
    (retries < mostRetries - 1 ? withSmallerAnswer(given, managed, parts, refusal) : undefined) ??
    (await makeSmaller(ask, given, parts, refusal));
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

/** The cheaper way, where the upstream only has no room for the answer. */
function withSmallerAnswer(
  given: ClientRequest,
  managed: Managed | Untouched,
  { manager }: ProxyParts,
  { counted }: SaidTooLarge,
): Managed | undefined {
  return counted && typeof managed !== 'string'
    ? manager.withSmallerAnswer(given, managed, counted)
    : undefined;
}

/** `undefined` where it cannot be made smaller: then what the upstream has said is the best answer there is. */
async function makeSmaller(
  ask: Ask,
  given: ClientRequest,
  parts: ProxyParts,
  { windowTokens }: SaidTooLarge,
): Promise<Managed | undefined> {
  try {
    const asking = await askingOf(ask, given, parts);
    const tooLarge = windowTokens === undefined ? {} : { windowTokens };
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
