import { callInputValue } from '@throughline/core/codec';
import { leavesOf } from '../sessions/message-text.ts';
import { add, ratioOf, sumOf } from './metric.ts';
import { findRecallIds } from './recall-ids.ts';
import type { CallPart } from '@throughline/core/codec';
import type { Use } from '../sessions/session-plan.ts';
import type { Metric, ReplaySetting, StepView, Sums } from './metric.ts';
import type { RecallIdIndex } from './recall-ids.ts';

/** The last mention lies more than this many messages back: only what was kept on purpose is still there. */
const farMessages = 20;
/** A leaf longer than this is content (a file to write); a shorter one says where. */
const locatorCharacters = 300;

/** The history as the search for uses sees it: texts of `spots`, and the message each lies in. */
export interface SearchedHistory {
  readonly spots: readonly string[];
  readonly messageOf: readonly number[];
}

/** U_k: what the calls of a response use of the first `length` spots of the history. */
export function usesOf(calls: readonly CallPart[], history: SearchedHistory, length: number): Use[] {
  const locators = new Set<string>();
  const all = new Set<string>();
  for (const call of calls) {
    for (const leaf of leavesOf(callInputValue(call))) {
      for (const entity of entitiesOf(leaf)) {
        all.add(entity);
        if (leaf.length <= locatorCharacters) locators.add(entity);
      }
    }
  }
  return [...all].flatMap((entity) => {
    const last = lastSpot(history, entity, length);
    if (last < 0) return [];
    const isFar = length - last > farMessages;
    return [{ entity, lastMention: history.messageOf[last] ?? 0, isFar, isLocator: locators.has(entity) }];
  });
}

/** What is known of one entity: the last of the first `upTo` spots that holds it, -1 for none. */
interface Searched {
  readonly last: number;
  readonly upTo: number;
}

const searched = new WeakMap<SearchedHistory, Map<string, Searched>>();

/** The last of the first `length` spots that holds the entity; -1 for none. Asked again, it looks at what is new. */
function lastSpot(history: SearchedHistory, entity: string, length: number): number {
  const known = searched.get(history) ?? new Map<string, Searched>();
  searched.set(history, known);
  const found = known.get(entity);
  const before = found && found.upTo <= length ? found : { last: -1, upTo: 0 };
  let last = length - 1;
  while (last >= before.upTo && history.spots[last]?.includes(entity) !== true) last -= 1;
  if (last < before.upTo) last = before.last;
  known.set(entity, { last, upTo: length });
  return last;
}

/** The ways in which a use can be found again. */
const hitKinds = ['hit', 'blanked', 'bare', 'named', 'recalled', 'reachable'] as const;
type HitKind = (typeof hitKinds)[number];

const recallSplits = ['all', 'far', 'locator', 'locatorFar', 'post', 'postFar'] as const;
type RecallSplit = (typeof recallSplits)[number];

/**
 * M2, future-use recall: E(x) are the entities of a text by the patterns of `entities.ts`; A_k the leaf strings of the
 * call arguments of step k; U_k = { e in E(A_k) : e occurs in H_k }. Hit: e is a substring of C_k. FUR = Σ hits / Σ |U_k|;
 * macro: the mean over steps. Splits: far (last mention more than 20 messages before k; each result counts as one
 * message), locator (argument of at most 300 characters), post (steps from the first eviction on). Blanked: the index
 * behind a placeholder taken out of C_k; bare: the list of names and numbers behind a summary, too. R-FUR: also a hit when one recall of
 * at most 2 000 tokens through a recall id in C_k returns e, with the tokens of the smallest such recall: `recalled`, where
 * it lies in the first 2 000 tokens of what a recall id stands for; `named` counts only recall ids that stand in C_k one by
 * one, and none that lie within a range it names; `reachable` counts what lies behind the first 2 000 tokens, too.
 */
export const futureUse: Metric = {
  start(_plan, setting) {
    const sums: Sums = {};
    return {
      sums,
      add(view) {
        const { step, seen } = view;
        if (!step.isMeasured || step.uses.length === 0) return;
        let hits = 0;
        let recallIds: RecallIdIndex | undefined;
        for (const use of step.uses) {
          const isHit = isFound(seen, use.entity, 'searchText');
          if (isHit) hits += 1;
          else recallIds ??= recallIdsOf(view, setting);
          const recalled = isHit ? undefined : recallIds?.find(use.entity);
          if (recalled !== undefined) {
            add(sums, 'recalls');
            add(sums, 'recallTokens', recalled.tokens);
          }
          const found: Record<HitKind, boolean> = {
            hit: isHit,
            blanked: isHit && isFound(seen, use.entity, 'blankedText'),
            bare: isHit && isFound(seen, use.entity, 'bareText'),
            named: isHit || (recalled?.isAtStart === true && recalled.isNamed),
            recalled: isHit || recalled?.isAtStart === true,
            reachable: isHit || recalled !== undefined,
          };
          for (const split of splitsOf(use, view.isPost)) {
            add(sums, `${split}.uses`);
            for (const kind of hitKinds) if (found[kind]) add(sums, `${split}.${kind}`);
          }
        }
        add(sums, 'macro', hits / step.uses.length);
        add(sums, 'macroSteps');
      },
    };
  },
};

function splitsOf({ isFar, isLocator }: Use, isPost: boolean): RecallSplit[] {
  const is: Readonly<Record<RecallSplit, boolean>> = {
    all: true,
    far: isFar,
    locator: isLocator,
    locatorFar: isFar && isLocator,
    post: isPost,
    postFar: isPost && isFar,
  };
  return recallSplits.filter((split) => is[split]);
}

function isFound(
  seen: StepView['seen'],
  entity: string,
  text: 'searchText' | 'blankedText' | 'bareText',
): boolean {
  return seen.findLast((message) => message[text].includes(entity)) !== undefined;
}

/** Only what the contender wrote names recall ids: what looks like one elsewhere is none. */
function recallIdsOf({ sent, seen, changed }: StepView, setting: ReplaySetting): RecallIdIndex | undefined {
  const written = changed.flatMap((index) => seen[index] ?? []);
  return sent?.archive && findRecallIds(written, sent.archive, setting.textTokens);
}

export function futureUseFigures(sums: Readonly<Sums>) {
  const share = (split: RecallSplit, kind: HitKind): number =>
    ratioOf(sums, `${split}.${kind}`, `${split}.uses`);
  const recall = Object.fromEntries(
    recallSplits.map((split) => [
      split,
      Object.fromEntries(hitKinds.map((kind) => [kind, share(split, kind)])) as Record<HitKind, number>,
    ]),
  ) as Record<RecallSplit, Record<HitKind, number>>;
  return {
    uses: sumOf(sums, 'all.uses'),
    farUses: sumOf(sums, 'far.uses'),
    locatorFarUses: sumOf(sums, 'locatorFar.uses'),
    postUses: sumOf(sums, 'post.uses'),
    recall,
    macroRecall: ratioOf(sums, 'macro', 'macroSteps'),
    recalls: sumOf(sums, 'recalls'),
    recallTokens: ratioOf(sums, 'recallTokens', 'recalls'),
  };
}

/** One kind of entity and how it is found. Every pattern is linear: it can begin only where a run of its characters does. */
interface EntityPattern {
  readonly kind: 'url' | 'path' | 'file-name' | 'hash' | 'ticket' | 'camel' | 'pascal' | 'snake' | 'number';
  readonly pattern: RegExp;
}

/**
 * What files end in: without this list `event.type` would be a file name. Endings that are members of objects as well
 * (`console.log`, `process.env`, `list.map`) are not in it.
 */
const extensions =
  'c|cc|cfg|cjs|conf|cpp|cs|css|csv|cts|cxx|dart|dll|docx|exe|exs|gif|go|gradle|graphql|groovy|gz|h|hcl|hpp|hs|htm|html|ico|ini|ipynb|java|jpeg|jpg|js|json|json5|jsonc|jsonl|jsx|kt|kts|less|lua|md|mdx|mjs|mts|pdf|php|pl|plist|png|prisma|proto|ps1|py|pyi|rb|rs|rst|sass|scala|scss|sh|sql|sqlite|svelte|svg|swift|tar|tf|toml|ts|tsv|tsx|ttf|txt|vue|wasm|webp|woff2?|xlsx?|xml|ya?ml|zip|zsh';

/**
 * The published patterns of E(x) in M2. They belong to the bench alone: the core finds its facts in its own way and
 * never uses these, so that it cannot be tuned to the measure.
 */
export const entityPatterns: readonly EntityPattern[] = [
  { kind: 'url', pattern: /\bhttps?:\/\/[^\s"'`<>()[\]{}|\\]{3,300}/g },
  { kind: 'path', pattern: /(?<![\w.@+~/-])(?:~|\.{1,2})?\/?(?:[\w.@+-]{1,100}\/){1,30}[\w.@+-]{1,100}/g },
  {
    kind: 'file-name',
    pattern: new RegExp(`(?<![\\w.-])[\\w-][\\w.-]{0,100}\\.(?:${extensions})(?![\\w-]|\\.\\w)`, 'gi'),
  },
  { kind: 'hash', pattern: /(?<!\w)(?=[0-9a-f]{0,63}[0-9])(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,64}(?!\w)/g },
  { kind: 'ticket', pattern: /(?<![\w-])[A-Z][A-Z0-9]{1,9}-\d{1,6}(?![\w-])/g },
  { kind: 'camel', pattern: /(?<![\w$])[a-z][a-z0-9]{0,60}(?:[A-Z][a-z0-9]{0,60}){1,12}(?![\w$])/g },
  { kind: 'pascal', pattern: /(?<![\w$])(?:[A-Z][a-z0-9]{1,60}){2,12}(?![\w$])/g },
  { kind: 'snake', pattern: /(?<![\w$])[A-Za-z][A-Za-z0-9]{0,60}(?:_[A-Za-z0-9]{1,60}){1,12}(?![\w$])/g },
  { kind: 'number', pattern: /(?<![\w.])\d{3,20}(?:\.\d{1,10})?(?!\w|\.\w)/g },
];

/** E(x): the entities of a text, each once, in order of their first place. */
export function entitiesOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const { pattern } of entityPatterns) {
    for (const [match] of text.matchAll(pattern)) {
      const entity = match.replace(/[.,;:!?]+$/, '');
      if (entity.length >= 3) found.add(entity);
    }
  }
  return found;
}

/** The kind of the first pattern that takes the whole of `entity`. */
export function entityKindOf(entity: string): string {
  return entityPatterns.find(({ pattern }) => entity.match(pattern)?.[0] === entity)?.kind ?? 'other';
}
