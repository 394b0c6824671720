import { createStrategy, findModel, mediaPricings, openTranscript, pricingOf } from '@throughline/core';
import { answerStarts } from './answer-starts.ts';
import { taskTitle } from './task-title.ts';
import { agentCodec, budgetOf, strategyNames } from '@throughline/core/internal';
import { exportedContext } from './from-export.ts';
import { countedState, readRecordingText } from '@throughline/importers/text';
import { sessionToReplay } from '@throughline/replay';
import type { ModelEntry } from '@throughline/core/types';
import type { RecordedSession, RecordedUsage, Recording } from '@throughline/importers/text';
import type { ExportedContext } from './from-export.ts';
import type { Inspected, InspectedSetup, InspectedStep } from '../inspected.ts';

/** What whoever dropped the file says of it. */
export interface FileOptions {
  readonly windowTokens?: number;
  /** In place of the recorded one. */
  readonly model?: string;
  /** @default reactive-overflow */
  readonly strategy?: string;
}

/** What is taken for a window that nobody knows. */
const assumedWindowTokens = 128_000;

/**
 * Reads a recorded file in the page; nothing of it leaves the page.
 *
 * @throws {ContextError} `unreadable-file`, with the line where there is one.
 */
export function readFile(file: Blob, name: string): Promise<Recording> {
  return readRecordingText(textOf(file), { name });
}

/** Piece by piece, so that no text is longer than one that a browser can hold. */
async function* textOf(file: Blob): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const pieceBytes = 1 << 20;
  for (let from = 0; from < file.size; from += pieceBytes) {
    const bytes = await file.slice(from, from + pieceBytes).arrayBuffer();
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
}

/**
 * A conversation of a recorded file as the inspector looks at it: what was recorded as it was said, without any change.
 *
 * @param index of the session in the recording: the first is the one that its tool would go on with
 */
export function fromFile(recording: Recording, index = 0, options: FileOptions = {}): Inspected {
  const session = recording.sessions[index];
  if (!session) throw new RangeError(`The file holds ${recording.sessions.length} conversations.`);
  const { codec, messages, system, tools } = session;
  const { timesMs } = sessionToReplay(session, recording.document);
  // Whatever else is in the file belongs to the first.
  const exported = index === 0 ? exportedContext(recording) : undefined;
  const setup = setupOf(session, options, exported);
  const media = modelOf(setup.model)?.media;
  const transcript = openTranscript(
    {
      codec: exported ? agentCodec : codec,
      ...(system !== undefined && { system }),
      ...(tools !== undefined && { tools }),
      ...(media && { media: mediaPricings[media] }),
    },
    messages,
  );
  return {
    source: 'file',
    title: session.title ?? taskTitle(transcript.conversation.entries) ?? session.id,
    transcript,
    state: exported?.state ?? countedState(session, transcript),
    passes: exported?.passes ?? [],
    steps: exported?.steps ?? stepsOf(session, transcript.conversation.entries, timesMs),
    setup,
  };
}

function setupOf(
  session: RecordedSession,
  options: FileOptions,
  exported: ExportedContext | undefined,
): InspectedSetup {
  const used = strategyNames.find((name) => name === exported?.passes.at(-1)?.strategy);
  const { strategy = used ?? 'reactive-overflow' } = options;
  const model = options.model ?? session.model ?? null;
  const entry = modelOf(model);
  const stated =
    options.windowTokens ?? session.windowTokens ?? exported?.limits?.windowTokens ?? entry?.windowTokens;
  const windowTokens = stated ?? assumedWindowTokens;
  const { maxInputTokens } = entry ?? {};
  const isOwn = windowTokens === entry?.windowTokens;
  const budget = {
    windowTokens,
    ...(entry && { maxOutputTokens: entry.maxOutputTokens }),
    ...(isOwn && maxInputTokens !== undefined && { maxInputTokens }),
  };
  const { trigger, ...rule } = createStrategy(strategy);
  const made = budgetOf({ ...budget, triggerAt: (...of) => rule.triggerAt(...of) });
  const isChosen = options.windowTokens !== undefined || options.strategy !== undefined;
  const { usableTokens, triggerTokens } = (isChosen ? undefined : exported?.limits) ?? made;
  return {
    model,
    format: session.codec.name,
    system: session.system ?? '',
    tools: session.tools ?? [],
    pins: exported?.pins ?? [],
    strategy,
    trigger,
    isAutomatic: true,
    budget,
    windowTokens,
    usableTokens,
    triggerTokens,
    isWindowKnown: stated !== undefined,
    pricing: (entry && pricingOf(entry)) ?? null,
    hasRecall: true,
  };
}

function modelOf(model: string | null): ModelEntry | undefined {
  return model === null ? undefined : findModel(model)?.entry;
}

/** Where the recording counts calls they are the steps; else one for each answer of the assistant. */
function stepsOf(
  { usage, model }: RecordedSession,
  entries: Parameters<typeof answerStarts>[0],
  timesMs: readonly (number | undefined)[],
): InspectedStep[] {
  const counted = new Map(usage.map((one) => [one.messageIndex, one]));
  const starts = new Set([...answerStarts(entries), ...counted.keys()]);
  return [...starts]
    .filter((start) => start > 0)
    .toSorted((a, b) => a - b)
    .map((start): InspectedStep => {
      const count = counted.get(start);
      return {
        seq: null,
        historyLength: start,
        head: null,
        provider: null,
        model: count?.model ?? model ?? null,
        startedAtMs: timesMs[start] ?? null,
        durationMs: null,
        usage: count ? countedUsage(count) : null,
      };
    });
}

function countedUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: RecordedUsage) {
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}
