import { sseResponse } from '../../follow/sse-response.ts';
import { faultResponse } from '../wire/request-fault.ts';
import { AnswerPieces, isFault } from './answer-pieces.ts';
import type { ServerContext } from '../../server-env.ts';
import type { About, Dialect, Ended, ModelAsk, AnswerPiece } from '../wire/dialect.ts';
import type { Fault } from '../wire/request-fault.ts';
import type { AskedAgent } from './ask-agent.ts';

interface ServeAnswer {
  readonly asked: AskedAgent;
  readonly ask: ModelAsk;
  readonly dialect: Dialect;
  readonly about: About;
  readonly headers: Readonly<Record<string, string>>;
  readonly deniesApprovals: boolean;
  /** How long the head is held back for a fault that may come. */
  readonly holdHeadMs: number;
}

/** What is said, and at last how it ended. */
type Told = AnswerPiece | Ended | Fault;

/** The answer of an agent in the shape of an API, streamed or whole. A client that goes away ends it. */
export async function serveAnswer(c: ServerContext, options: ServeAnswer): Promise<Response> {
  const cut = new AbortController();
  const { stopping } = c.var;
  const signal = AbortSignal.any([cut.signal, ...(stopping ? [stopping] : [])]);
  const told = tell(options, signal);
  const onCut = (): void => {
    if (cut.signal.aborted) return;
    cut.abort();
    // What goes wrong there is told by the session's own events.
    void options.asked.cancel().catch(() => {});
  };
  c.req.raw.signal.addEventListener('abort', onCut, { once: true });
  const over = (): void => c.req.raw.signal.removeEventListener('abort', onCut);
  return options.ask.isStreamed
    ? await streamAnswer(told, options, { onCut, over })
    : await wholeAnswer(told, options, over);
}

async function* tell(
  { asked: { session, steps }, ask: { wantsReasoning }, deniesApprovals }: ServeAnswer,
  signal: AbortSignal,
): AsyncGenerator<Told, void, undefined> {
  const pieces = new AnswerPieces(wantsReasoning);
  for await (const step of steps(signal)) {
    if (step.type === 'end') {
      yield pieces.end(step.end);
      return;
    }
    const { event } = step;
    if (event.type === 'approval:requested' && deniesApprovals)
      await session.approvals.answer(event.data.request.id, {
        type: 'deny',
        reason: 'nobody can be asked over this API',
      });
    yield* pieces.take(event);
  }
}

async function wholeAnswer(
  told: AsyncIterable<Told>,
  { dialect, about, headers }: ServeAnswer,
  over: () => void,
): Promise<Response> {
  const said: AnswerPiece[] = [];
  for await (const one of told) {
    if (isPiece(one)) {
      said.push(one);
      continue;
    }
    over();
    if (isFault(one)) return faultResponse(dialect, one, headers);
    return Response.json(dialect.whole(about, said, one), { headers });
  }
  return faultResponse(dialect, { kind: 'server', message: 'The answer has no end.' }, headers);
}

/** A fault that comes before anything was said has a status of its own. */
async function streamAnswer(
  told: AsyncGenerator<Told, void, undefined>,
  { dialect, about, headers, holdHeadMs }: ServeAnswer,
  { onCut, over }: { readonly onCut: () => void; readonly over: () => void },
): Promise<Response> {
  const first = told.next();
  const early = (await withinMs(first, holdHeadMs))?.value;
  if (early && !isPiece(early) && isFault(early)) {
    over();
    return faultResponse(dialect, early, headers);
  }
  const writer = dialect.write(about);
  const frames = async function* (): AsyncGenerator<string, void, undefined> {
    yield writer.begin();
    for (let next = await first; next.done !== true; next = await told.next()) {
      const { value } = next;
      if (isPiece(value)) yield writer.take(value);
      else {
        over();
        yield isFault(value) ? writer.fail(value) : writer.end(value);
      }
    }
  };
  return sseResponse(frames(), { headers, onCut });
}

function isPiece(told: Told): told is AnswerPiece {
  return 'type' in told;
}

async function withinMs<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
