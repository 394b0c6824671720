import { ContextError } from '@throughline/core';
import { checkOptions } from '@throughline/core/internal';
import { fitOptions, textOf } from './adapter-options.ts';
import { answerRecallIn } from './recall-tool.ts';
import { counted, fit, openSnapshot } from './fit.ts';
import type { Codec, ContextState, Ready, Transcript } from '@throughline/core';
import type { RenderedMessage, Repair } from '@throughline/core/types';
import type { AdapterOptions } from './adapter-options.ts';
import type { FitRequest, FittedStep, Snapshot } from './fit.ts';

/** What a plain function takes beside the messages and the state. */
export interface FitOptions extends AdapterOptions, Pick<FitRequest, 'tools' | 'reason' | 'signal'> {
  /** System text that travels outside the messages: a text or blocks of it. */
  readonly system?: unknown;
}

/** A request that fits, and what follows from it. */
export interface Fitted<Message, Usage> {
  /** What to send. A message that nothing has touched is the very object that was handed in. */
  readonly messages: Message[];
  /** The same list, by the name that the Responses API has for it. */
  readonly input: Message[];
  /** The same messages, and where each comes from. */
  readonly rendered: readonly RenderedMessage<Message>[];
  /** Plain JSON: keep it with the conversation, and hand it in with the messages of the next request. */
  readonly state: ContextState;
  /** What was mended so that the provider accepts it; empty for a sound history. */
  readonly repairs: readonly Repair[];
  readonly step: Ready;
  /** The whole history, decoded: for `undo`, `searchTranscript` and the like. */
  readonly transcript: Transcript;
  /** The state with what the provider counted for this request; as it is where nothing was counted. */
  readonly stateAfter: (usage: Usage | null | undefined) => ContextState;
  /** Answers a call of the `recall` tool, from its arguments as value or as JSON text. */
  readonly recall: (input: unknown) => string;
  /**
   * A smaller request, after the provider refused this one as too long. `limitTokens` is the window its error named.
   *
   * @throws {ContextError} `cannot-fit` when nothing can be made smaller, or compaction is switched off.
   */
  readonly smaller: (limitTokens?: number) => Promise<Fitted<Message, Usage>>;
}

/** `messages → messages to send`. The caller keeps history and state; the messages are the whole history each time. */
export type PlainFit<Usage> = <Message>(
  messages: readonly Message[],
  state: ContextState,
  options: FitOptions,
) => Promise<Fitted<Message, Usage>>;

/** The plain function of one wire format. */
export function createPlainFit<Usage>(
  codec: Codec,
  inputTokensOf: (usage: Usage) => number | undefined,
): PlainFit<Usage> {
  // A memory, so that a state that comes back in the same process need not be read anew. Never a source of truth.
  const known = new WeakMap<ContextState, Snapshot>();
  const remember = (snapshot: Snapshot): ContextState => {
    known.set(snapshot.state, snapshot);
    return snapshot.state;
  };
  const run = async <Message>(
    before: Snapshot,
    messages: readonly Message[],
    call: Call,
  ): Promise<Fitted<Message, Usage>> => {
    const fitted = await fit(before, messages, call.options, requestOf(call));
    if (call.isRefused) refuseUnchanged(fitted);
    const { after, rendered, repairs, step } = fitted;
    // The codec writes messages of the very form it reads.
    const sent = [...fitted.messages] as Message[];
    return {
      messages: sent,
      input: sent,
      rendered: rendered as readonly RenderedMessage<Message>[],
      state: remember(after),
      repairs,
      step,
      transcript: after.transcript,
      stateAfter: (usage) => remember(counted(after, usage ? inputTokensOf(usage) : undefined)),
      recall: (input) => answerRecallIn(after, input),
      smaller: (limitTokens) =>
        run(after, messages, {
          options: call.options,
          isRefused: true,
          ...(limitTokens !== undefined && { limitTokens }),
        }),
    };
  };
  return async (messages, state, options) => {
    checkOptions<FitOptions>('', options, fitOptions);
    return run(known.get(state) ?? openSnapshot(codec, state, options), messages, {
      options,
      isRefused: false,
    });
  };
}

interface Call {
  readonly options: FitOptions;
  /** The provider has refused what seemed to fit. */
  readonly isRefused: boolean;
  readonly limitTokens?: number;
}

function requestOf({ options, isRefused, limitTokens }: Call): FitRequest {
  const { system, tools, reason, signal } = options;
  const asked = isRefused ? 'provider-error' : reason;
  return {
    ...(system !== undefined && { system: textOf(system, 'system') }),
    ...(tools && { tools }),
    ...(asked && { reason: asked }),
    ...(signal && { signal }),
    ...(limitTokens !== undefined && { limitTokens }),
  };
}

/** What was refused and has not become smaller would only be refused again. */
function refuseUnchanged({ step: { checkpoint, report } }: FittedStep): void {
  if (checkpoint) return;
  const { usableTokens, irreducible, tokens } = report;
  throw new ContextError(
    'cannot-fit',
    `The provider refused the request as too long, and it cannot be made smaller than ${tokens.final} tokens.`,
    { usableTokens, irreducibleTokens: irreducible.tokens, parts: irreducible.parts },
  );
}
