import { coding } from './profiles/coding.ts';
import { cutLinesTo } from './cut-text.ts';
import { digestLines } from './digest-lines.ts';
import { headingKey, proseSections } from './prose-sections.ts';
import type { FoldSource, SummaryLimits } from './fold-source.ts';
import type { Profile, SectionRole } from './profiles/profile.ts';

/** How the bound is shared when every section wants more; what one does not need goes to the others. */
const shares: { readonly [Role in SectionRole]: number } = {
  done: 5,
  decisions: 3,
  state: 4,
  pending: 2,
  errors: 2,
};
const carriedShare = 2;
/** What the previous rounds' lines keep of a section that is full. */
const olderShare = 0.4;

interface Block {
  readonly heading: string;
  readonly opening: readonly string[];
  /** Lines of the previous prose, then new ones; oldest first. */
  readonly older: readonly string[];
  readonly newer: readonly string[];
  readonly share: number;
}

// Each gives a line or two, and the digest has room for some thirty: older ones could not be among them.
const mostEntries = 600;

const tableOpening = ['| File/Component | Action | Description |', '|---|---|---|'];

/**
 * Prose without a model: the sections of the profile, written from the messages themselves and merged with the
 * previous prose. Works in any language; never empty, never above `limits.proseTokens`. Deterministic, linear.
 */
export function digest(source: FoldSource, limits: SummaryLimits, profile: Profile = coding): string {
  const count = (text: string): number => limits.estimator.count(text);
  const blocks = blocksOf(source, profile.sections.length > 0 ? profile : coding);
  let budgetTokens = limits.proseTokens;
  for (let round = 0; round < 4; round++) {
    const text = write(blocks, budgetTokens, count);
    const excess = count(text) - limits.proseTokens;
    if (excess <= 0 && text !== '') return text;
    budgetTokens -= Math.max(excess, 0) + 4;
  }
  const text = write(blocks, limits.proseTokens, count);
  const cut = cutLinesTo(text, limits.proseTokens, count);
  return cut === '' ? '-' : cut;
}

function blocksOf(source: FoldSource, profile: Profile): Block[] {
  const { entries, latest, task } = source;
  const lines = digestLines({
    entries: entries.slice(-mostEntries),
    ...(latest && { latest }),
    ...(task && { task }),
  });
  const previous = new Map(
    proseSections(source.previous?.prose ?? '').map(({ heading, lines: old }) => [
      headingKey(heading),
      { heading, old },
    ]),
  );
  const blocks: Block[] = [];
  for (const { heading, role } of profile.sections) {
    const old = previous.get(headingKey(heading))?.old ?? [];
    previous.delete(headingKey(heading));
    const newer = role === undefined ? [] : lines[role];
    const isTable = role === 'done';
    // What was going on in an earlier round is over.
    const older = role === 'state' && newer.length > 0 ? [] : carried(old);
    blocks.push({
      heading,
      opening: isTable ? tableOpening : [],
      older,
      newer,
      share: role ? shares[role] : carriedShare,
    });
  }
  for (const { heading, old } of previous.values()) {
    blocks.push({ heading, opening: [], older: carried(old), newer: [], share: carriedShare });
  }
  return blocks.filter(({ older, newer }) => older.length + newer.length > 0);
}

/** Lines of earlier prose, without blank ones and the head of a table. */
function carried(lines: readonly string[]): string[] {
  return lines.filter((line, index) => {
    const isRuler = (text: string | undefined): boolean =>
      /^\s*\|[\s|:-]+\|\s*$/.test(text?.slice(0, 300) ?? '');
    return line.trim() !== '' && !isRuler(line) && !isRuler(lines[index + 1]);
  });
}

type Count = (text: string) => number;

function write(blocks: readonly Block[], budgetTokens: number, count: Count): string {
  const measured = blocks.map((block) => ({ block, wants: wantedTokens(block, count) }));
  const written = new Map<Block, string>();
  let leftTokens = budgetTokens;
  let leftShares = blocks.reduce((sum, { share }) => sum + share, 0);
  // Who wants least in proportion is served first, so that what is left over goes to those who want more.
  for (const { block, wants } of measured.toSorted(
    (a, b) => a.wants / a.block.share - b.wants / b.block.share,
  )) {
    const text = writeBlock(block, (leftTokens * block.share) / leftShares, count);
    leftShares -= block.share;
    leftTokens -= text === '' ? 0 : Math.min(wants, count(text) + 1);
    written.set(block, text);
  }
  return blocks
    .map((block) => written.get(block) ?? '')
    .filter((text) => text !== '')
    .join('\n\n')
    .toWellFormed();
}

function wantedTokens({ heading, opening, older, newer }: Block, count: Count): number {
  return [heading, ...opening, ...older, ...newer].reduce((sum, line) => sum + count(line) + 1, 2);
}

function writeBlock(block: Block, maxTokens: number, count: Count): string {
  const { heading, opening, older, newer } = block;
  const fixed = [`## ${heading}`, ...opening].join('\n');
  const roomTokens = maxTokens - count(fixed) - 2;
  const olderTokens = older.reduce((sum, line) => sum + count(line) + 1, 0);
  const kept = newest(newer, roomTokens - Math.min(olderTokens, roomTokens * olderShare), count);
  const keptOlder = newest(older, roomTokens - kept.tokens, count);
  const lines = [...keptOlder.lines, ...kept.lines];
  return lines.length === 0 ? '' : [fixed, ...lines].join('\n');
}

/** The newest lines that fit, in their order; a line that does not fit is passed over for a shorter, older one. */
function newest(
  lines: readonly string[],
  maxTokens: number,
  count: Count,
): { lines: string[]; tokens: number } {
  const kept: string[] = [];
  let tokens = 0;
  let misses = 0;
  for (const line of lines.toReversed()) {
    const cost = count(line) + 1;
    if (tokens + cost > maxTokens) {
      if (++misses > 8) break;
      continue;
    }
    tokens += cost;
    kept.push(line);
  }
  return { lines: kept.toReversed(), tokens };
}
