import { untilSeen, wrapDriver } from '@throughline/ports';
import type { ModelDriver, ModelEvent, ModelUsage, StepEnd, StepRequest } from '@throughline/ports';

/** What the count of a server is compared with. */
export interface CutDetectionOptions {
  /** What the request should come to in the provider's own count: the calibrated estimate. */
  readonly estimateTokens: (request: StepRequest) => number;
  /** The window that is believed in; `undefined` where nobody knows. */
  readonly windowTokens: () => number | undefined;
  /**
   * Asked after a cut: a server that loads its models when they are needed knows the window only then. Must not throw.
   * @default nobody is asked
   */
  readonly discoverWindow?: () => Promise<number | undefined>;
}

const content: ReadonlySet<ModelEvent['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'call',
  'provider-result',
  'file',
]);
/** This share of the window is all of it: counts differ by a few tokens. */
const fullShare = 0.99;
const mostConversations = 1_000;

/**
 * Sees what servers do not say. A prompt that was cut without a word: the end then carries `wasCut`, with a
 * `prompt-cut` warning. A full window: an answer that stopped there ends as `window-full`, and one that has nothing in
 * it becomes the `overflow` it is. A prompt beyond the believed window that went through: a `beyond-window` warning.
 */
export function withCutDetection(driver: ModelDriver, options: CutDetectionOptions): ModelDriver {
  const last = new Map<string, Measured>();
  return wrapDriver(driver, async function* (request, { signal }): AsyncGenerator<
    ModelEvent,
    void,
    undefined
  > {
    let isEmpty = true;
    for await (const event of driver.stream(request, { signal })) {
      if (content.has(event.type)) isEmpty = false;
      if (event.type !== 'end') {
        yield event;
        continue;
      }
      const windowTokens = options.windowTokens();
      const estimateTokens = options.estimateTokens(request);
      // Before anything is told: who reads the end may read no further.
      const before = swap(
        last,
        request.conversationId,
        event.usage && {
          estimateTokens,
          promptTokens: event.usage.inputTokens,
        },
      );
      const step = { request, isEmpty, estimateTokens, ...(windowTokens !== undefined && { windowTokens }) };
      yield* judged(event, step, before, options);
    }
  });
}

interface Step {
  readonly request: StepRequest;
  readonly isEmpty: boolean;
  readonly estimateTokens: number;
  readonly windowTokens?: number;
}

async function* judged(
  end: StepEnd,
  step: Step,
  before: Measured | undefined,
  { discoverWindow }: CutDetectionOptions,
): AsyncIterable<ModelEvent> {
  const { estimateTokens, windowTokens } = step;
  const { usage } = end;
  if (isSilentOverflow(end, step)) {
    yield silentOverflow(step, usage);
    return;
  }
  const promptTokens = usage?.inputTokens ?? 0;
  const isCut = usage !== undefined && looksCut({ promptTokens, estimateTokens }, windowTokens, before);
  if (isCut) {
    yield { type: 'warning', warning: { type: 'prompt-cut', promptTokens, expectedTokens: estimateTokens } };
  } else if (windowTokens !== undefined && promptTokens > windowTokens) {
    yield { type: 'warning', warning: { type: 'beyond-window', promptTokens, windowTokens } };
  }
  const isFull = isAtWall(end, step);
  const found = isCut ? await discoverWindow?.() : undefined;
  yield {
    ...end,
    ...(isFull && { finish: 'window-full' }),
    ...(isCut && { wasCut: true }),
    ...(found !== undefined && { windowTokens: found }),
  };
}

/** A 200 with nothing in it, where the prompt has taken all the room. */
function isSilentOverflow({ finish, usage }: StepEnd, step: Step): boolean {
  const { isEmpty, windowTokens, estimateTokens } = step;
  if (!isEmpty || windowTokens === undefined || finish === 'refusal' || finish === 'paused') return false;
  return (usage?.inputTokens || estimateTokens) >= fullShare * windowTokens;
}

function silentOverflow({ estimateTokens }: Step, usage: ModelUsage | undefined): ModelEvent {
  const promptTokens = usage?.inputTokens || Math.round(estimateTokens);
  const message = `the prompt of ${promptTokens} tokens fills the window: the server answered with nothing`;
  return {
    type: 'error',
    failure: { kind: 'overflow', message, recoverable: true, promptTokens },
    messages: [],
  };
}

/** It stopped for length before the room that was asked for was used up: at the end of the window. */
function isAtWall({ finish, usage }: StepEnd, { request, windowTokens }: Step): boolean {
  if (finish !== 'length' || !usage || windowTokens === undefined) return false;
  const hadRoom = request.maxOutputTokens === undefined || usage.outputTokens < request.maxOutputTokens;
  return hadRoom && usage.inputTokens + usage.outputTokens >= fullShare * windowTokens;
}

/** Remembers the newest conversations, in the order in which they were used; gives what was known of this one. */
function swap(
  last: Map<string, Measured>,
  id: string | undefined,
  measured: Measured | undefined,
): Measured | undefined {
  if (id === undefined || !measured) return undefined;
  const before = last.get(id);
  last.delete(id);
  last.set(id, measured);
  const oldest = last.size > mostConversations ? last.keys().next() : undefined;
  if (oldest?.done === false) last.delete(oldest.value);
  return before;
}

/** One request: what it should come to, and what the server counted. */
interface Measured {
  readonly estimateTokens: number;
  readonly promptTokens: number;
}

/** A calibrated estimate is not off by more. */
const leastShare = 0.6;
/** Servers cut where the window ends, so not in a request that is small beside it. */
const leastWindowShare = 0.5;
/** Without a known window: half of the smallest one in use. */
const leastTokens = 2_000;
/** A request has grown when its estimate did by this share, and by so many tokens. */
const grownShare = 0.05;
const grownTokens = 256;
/** Share of what a request has grown by that the server has to see at least. */
const seenShare = 0.1;

/**
 * The server has not read the whole prompt: it counted far less than the calibrated estimate, or no more (or even less)
 * than before although the request has grown.
 */
export function looksCut(now: Measured, windowTokens?: number, before?: Measured): boolean {
  const { promptTokens, estimateTokens } = now;
  if (!(promptTokens > 0) || !(estimateTokens > 0)) return false;
  const floor = windowTokens === undefined ? leastTokens : leastWindowShare * windowTokens;
  if (estimateTokens > floor && promptTokens < leastShare * estimateTokens) return true;
  if (!before || !(before.promptTokens > 0)) return false;
  const grown = estimateTokens - before.estimateTokens;
  const hasGrown = grown >= Math.max(grownTokens, grownShare * before.estimateTokens);
  return hasGrown && promptTokens < estimateTokens && promptTokens - before.promptTokens < seenShare * grown;
}

/**
 * For models without tools: where a model refuses them, the step is sent again without, with a `left-out` warning, and
 * the later steps of this driver go without from the start.
 */
export function withToolFallback(driver: ModelDriver): ModelDriver {
  let isRefused = false;
  return wrapDriver(driver, async function* (request, options): AsyncGenerator<ModelEvent, void, undefined> {
    if (!isRefused) {
      const hasTools = (request.tools?.length ?? 0) > 0;
      const failed = yield* untilSeen(
        driver.stream(request, options),
        ({ unsupported }) => hasTools && unsupported === 'tools',
      );
      if (!failed) return;
      isRefused = true;
      const { message } = failed.failure;
      yield { type: 'warning', warning: { type: 'left-out', what: 'tools', message } };
    }
    yield* driver.stream(withoutTools(request), options);
  });
}

function withoutTools({ tools: _tools, toolChoice: _toolChoice, ...request }: StepRequest): StepRequest {
  return request;
}
