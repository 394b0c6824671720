import { exportedState } from '@throughline/importers/text';
import { objectOf, upgradeCheckpoint } from '@throughline/core/internal';
import { namedPasses } from './named-passes.ts';
import type { Checkpoint, ContextState } from '@throughline/core';
import type { InspectedPass, InspectedStep, StepUsage } from '../inspected.ts';
import type { Recording } from '@throughline/importers/text';

/** What an export of our own store holds beside the messages. */
export interface ExportedContext {
  readonly state: ContextState;
  readonly passes: readonly InspectedPass[];
  readonly steps: readonly InspectedStep[];
  readonly pins: readonly number[];
  /** As the newest request had them; `null` where no event tells. */
  readonly limits: ExportedLimits | null;
}

interface ExportedLimits {
  readonly windowTokens: number;
  readonly usableTokens: number;
  readonly triggerTokens: number;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * What the engine did in an exported session, as it is read of a live one; `undefined` for a file of another tool.
 *
 * @throws {ContextError} `bad-state` where it was written by a newer version
 */
export function exportedContext(recording: Recording): ExportedContext | undefined {
  const { document } = recording;
  const state = exportedState(recording);
  if (!state || document.type !== 'lines') return undefined;
  const byKind = Map.groupBy(
    document.lines.map(({ value }) => objectOf(value)),
    ({ line }) => line,
  );
  const linesOf = (kind: string): readonly Fields[] => byKind.get(kind) ?? [];
  const events = linesOf('event');
  const pins = linesOf('value').find(({ name }) => name === 'pins')?.['value'];
  return {
    state,
    passes: passesOf(linesOf('checkpoint'), state.head),
    steps: stepsOf(events),
    pins: Array.isArray(pins) ? pins.filter((one) => typeof one === 'number') : [],
    limits: limitsOf(events),
  };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function passesOf(lines: readonly Fields[], head: string | null): readonly InspectedPass[] {
  const checkpoints = lines.map(({ checkpoint }) => upgradeCheckpoint(checkpoint) as Checkpoint);
  const inForce = wayTo(head, checkpoints);
  const passes = checkpoints.map((checkpoint, index) => {
    const { id, parent, reason, strategy, tokensBefore, tokensAfter } = checkpoint;
    const { summary, created_at_ms: createdAtMs } = lines[index] ?? {};
    return {
      id,
      parent,
      reason,
      strategy,
      tokensBefore,
      tokensAfter,
      checkpoint,
      number: index + 1,
      summary: textOf(summary),
      createdAtMs: numberOf(createdAtMs),
      isInForce: inForce.has(id),
      // What a file holds is only looked at.
      canUndo: false,
      canRedo: false,
    };
  });
  return namedPasses(passes);
}

function wayTo(head: string | null, checkpoints: readonly Checkpoint[]): ReadonlySet<string> {
  const parents = new Map(checkpoints.map(({ id, parent }) => [id, parent]));
  const way = new Set<string>();
  for (let id: string | null = head; id !== null && !way.has(id); id = parents.get(id) ?? null) way.add(id);
  return way;
}

/** Steps of earlier versions say nothing of the history that they had: they cannot be made anew. */
function stepsOf(events: readonly Fields[]): readonly InspectedStep[] {
  const ends = new Map(
    events
      .filter(({ type }) => type === 'step:end')
      .map((event) => [stepKey(event), objectOf(event['data'])]),
  );
  return events.flatMap((event): InspectedStep[] => {
    if (event['type'] !== 'step:start') return [];
    const { request, provider, model } = objectOf(event['data']);
    const { historyLength, head, systemHash, toolsHash } = objectOf(request);
    if (typeof historyLength !== 'number') return [];
    const end = ends.get(stepKey(event)) ?? {};
    return [
      {
        seq: null,
        historyLength,
        head: textOf(head),
        ...(typeof systemHash === 'string' && { systemHash }),
        ...(typeof toolsHash === 'string' && { toolsHash }),
        provider: textOf(provider),
        model: textOf(model),
        startedAtMs: numberOf(event['at_ms']),
        durationMs: numberOf(end['durationMs']),
        usage: usageOf(end['usage']),
      },
    ];
  });
}

function stepKey({ run_id: run, data }: Fields): string {
  return `${String(run)} ${String(objectOf(data)['step'])}`;
}

function usageOf(value: unknown): StepUsage | null {
  const { input, output, cacheRead, cacheWrite } = objectOf(value);
  if (typeof input !== 'number' || typeof output !== 'number') return null;
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: numberOf(cacheRead),
    cacheWriteTokens: numberOf(cacheWrite),
  };
}

function limitsOf(events: readonly Fields[]): ExportedLimits | null {
  const { windowTokens, limit, triggerTokens } = objectOf(
    events.findLast(({ type }) => type === 'context:usage')?.['data'],
  );
  if (typeof windowTokens !== 'number' || typeof limit !== 'number' || typeof triggerTokens !== 'number')
    return null;
  return { windowTokens, usableTokens: limit, triggerTokens };
}
