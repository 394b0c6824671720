import { ContextError, learnWindow, reconcile, renderView, withOutside } from '@throughline/core';
import { runStep } from '@throughline/ports';
import type {
  CannotFit,
  PrepareOptions,
  Ready,
  RenderedMessage,
  RenderOptions,
  Repair,
} from '@throughline/core';
import type { AdapterOptions } from './adapter-options.ts';
import type { Snapshot } from './snapshot.ts';

/** What one request adds to the messages. */
export interface FitRequest {
  /** System text that travels outside the messages. */
  readonly system?: string;
  /** Tool schemas as they are sent. */
  readonly tools?: readonly unknown[];
  readonly reason?: PrepareOptions['reason'];
  /** `open`: the last calls may still be answered. @default 'send' */
  readonly ending?: RenderOptions['ending'];
  /** The window that an error of the provider named. */
  readonly limitTokens?: number;
  readonly signal?: AbortSignal;
}

export interface FittedStep {
  /** The messages to send. What nothing has touched is the very object that came in. */
  readonly messages: readonly unknown[];
  /** False: they are the messages that came in, one for one. */
  readonly isChanged: boolean;
  /** The same messages, and where each comes from. */
  readonly rendered: readonly RenderedMessage<unknown>[];
  readonly repairs: readonly Repair[];
  readonly step: Ready;
  readonly after: Snapshot;
}

/**
 * Follows the host to the messages it holds now, and makes them fit. The one path of every adapter: a host may hand in
 * its full history each time, or carry our last view forward; which of the two is told by content.
 *
 * @throws {ContextError} `cannot-fit` when not even the irreducible part fits, or compaction is switched off;
 * `bad-wire-format` where there is no message to send.
 */
export async function fit(
  before: Snapshot,
  incoming: readonly unknown[],
  options: AdapterOptions,
  request: FitRequest = {},
): Promise<FittedStep> {
  const { background } = before;
  const { reason, limitTokens, signal } = request;
  const followed = reconcile(before.transcript, incoming, before.sent).transcript;
  const { system, tools } = request;
  const transcript = withOutside(followed, {
    ...(system !== undefined && { system }),
    ...(tools && { tools }),
  });
  const state =
    limitTokens === undefined ? before.state : learnWindow(before.state, { windowTokens: limitTokens });
  const step = await runStep(transcript, state, options.policy, {
    ...(options.driver && { driver: options.driver }),
    ...(background && { background }),
    ...(reason && { reason }),
    ...(signal && { signal }),
  });
  if (step.type === 'cannot-fit') throw cannotFit(step);
  options.onStep?.(step);
  const { ending = 'send' } = request;
  const { messages: rendered, repairs } = renderView(transcript, step.view, { ending });
  const messages = rendered.map(({ message }) => message);
  const isChanged = messages.length !== incoming.length || messages.some((one, at) => one !== incoming[at]);
  const { windowTokens } = step.report;
  const after = { ...before, transcript, state: step.state, sent: messages, windowTokens, isCounted: false };
  return { messages, isChanged, rendered, repairs, step, after };
}

function cannotFit({
  usableTokens,
  requestTokens,
  parts,
  wire,
  canCompact,
}: CannotFit): ContextError<'cannot-fit'> {
  const biggest = parts[0] ? ` The biggest part is ${parts[0].name} with ${parts[0].tokens}.` : '';
  const sizes = `${requestTokens} tokens of ${usableTokens} usable${wire ? `, ${wireText(wire)}` : ''}`;
  const message = canCompact
    ? `The request has ${sizes}, and compaction is switched off.`
    : `Not even the smallest request fits: ${sizes}.${biggest}`;
  return new ContextError('cannot-fit', message, {
    usableTokens,
    irreducibleTokens: requestTokens,
    parts,
    ...(wire && { wire }),
  });
}

function wireText({ bytes, media, maxBytes, maxMedia }: NonNullable<CannotFit['wire']>): string {
  const limits = [
    ...(maxBytes === undefined ? [] : [`${bytes} bytes of ${maxBytes}`]),
    ...(maxMedia === undefined ? [] : [`${media} images and files of ${maxMedia}`]),
  ];
  return limits.join(', ');
}
