import { entityKindOf, partHolding } from '@throughline/replay';
import type { Part } from '@throughline/core/codec';
import type { SessionPlan, StepView } from '@throughline/replay';

/** One use that the context no longer named: where it was said last, and what had become of that. */
export interface Miss {
  readonly step: number;
  readonly entity: string;
  readonly kind: string;
  /** Kind of text of the last mention, with the tool's name. */
  readonly source: string;
  readonly fate: Fate;
  readonly isFar: boolean;
  readonly isLocator: boolean;
  /** Messages between the last mention and the step. */
  readonly distance: number;
  /** Messages of the history that named it. */
  readonly mentions: number;
}

type Fate = 'pruned result' | 'pruned argument' | 'truncated' | 'edited' | 'compacted or dropped';

/** Notes what each missed use was, for tuning. */
export function createMissLog(): {
  readonly misses: readonly Miss[];
  add(view: StepView, plan: SessionPlan): void;
} {
  const misses: Miss[] = [];
  return {
    misses,
    add({ step, seen, changed }, plan) {
      for (const { entity, isFar, isLocator, lastMention } of step.isMeasured ? step.uses : []) {
        if (seen.findLast(({ searchText }) => searchText.includes(entity)) !== undefined) continue;
        const source = plan.seen[lastMention];
        const part = source && partHolding(source, entity);
        misses.push({
          step: step.historyLength,
          entity,
          kind: entityKindOf(entity),
          source: sourceOf(part, source?.entry.role ?? '', plan),
          fate: fateOf(
            part,
            changed.flatMap((index) => seen[index] ?? []),
          ),
          isFar,
          isLocator,
          distance: step.historyLength - lastMention,
          mentions: plan.seen
            .slice(0, step.historyLength)
            .filter(({ searchText }) => searchText.includes(entity)).length,
        });
      }
    },
  };
}

function sourceOf(part: Part | undefined, role: string, plan: SessionPlan): string {
  if (part?.type === 'call') return `argument of ${part.name}`;
  if (part?.type !== 'result') return part?.type === 'reasoning' ? 'reasoning' : `${role} text`;
  const call = plan.seen
    .flatMap(({ entry }) => entry.parts)
    .find((one) => one.type === 'call' && one.callId === part.callId);
  return `result of ${call?.type === 'call' ? call.name : '?'}`;
}

/** What stands in the context in the place of the part. */
function fateOf(part: Part | undefined, changed: StepView['seen']): Fate {
  if (part?.type !== 'call' && part?.type !== 'result') return 'compacted or dropped';
  for (const { entry, searchText } of changed) {
    const now = entry.parts.find((one) => one.type === part.type && one.callId === part.callId);
    if (!now) continue;
    const text = JSON.stringify(now);
    if (part.type === 'call') return text.includes('[cleared argument') ? 'pruned argument' : 'edited';
    if (text.includes('[cleared result')) return 'pruned result';
    return searchText.includes('[shortened ') ? 'truncated' : 'edited';
  }
  return 'compacted or dropped';
}
