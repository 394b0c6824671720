import type { Loss, NeutralPart, Synthetic } from './codec.ts';

export type NeutralResult = Extract<NeutralPart, { type: 'result' }>;

/** Everything a message says beside tool results. */
export type NeutralSpeech = Exclude<NeutralPart, { type: 'result' }>;

/** A part and its position among the parts of the synthetic message, for the path of a loss. */
export interface Placed<Part> {
  readonly part: Part;
  readonly index: number;
}

export type Run =
  | { readonly type: 'results'; readonly results: readonly Placed<NeutralResult>[] }
  | { readonly type: 'speech'; readonly parts: readonly Placed<NeutralSpeech>[] };

/** What one part becomes in a format: blocks, and a reason when something of it is left out. */
export interface Said<Block> {
  readonly blocks: readonly Block[];
  readonly reason?: string;
}

export interface SaidAll<Block> {
  readonly blocks: readonly Block[];
  readonly losses: readonly Loss[];
}

/**
 * Results and everything else in turn, in the order they were said. An assistant may say more after a result (the
 * provider ran the tool); elsewhere results answer what came before and stand first.
 */
export function runsOf(item: Synthetic): Run[] {
  const placed = item.parts.map((part, index) => ({ part, index }));
  const isResult = ({ part }: Placed<NeutralPart>): boolean => part.type === 'result';
  const ordered =
    item.role === 'assistant'
      ? placed
      : [...placed.filter(isResult), ...placed.filter((one) => !isResult(one))];
  const runs: { type: Run['type']; items: Placed<NeutralPart>[] }[] = [];
  for (const one of ordered) {
    const type = isResult(one) ? 'results' : 'speech';
    const last = runs.at(-1);
    if (last?.type === type) last.items.push(one);
    else runs.push({ type, items: [one] });
  }
  return runs.map(({ type, items }) =>
    type === 'results'
      ? { type, results: items as Placed<NeutralResult>[] }
      : { type, parts: items as Placed<NeutralSpeech>[] },
  );
}

/** Says each part in turn. Losses carry the path of their part. */
export function sayAll<Part, Block>(
  parts: readonly Placed<Part>[],
  say: (part: Part) => Said<Block>,
): SaidAll<Block> {
  const blocks: Block[] = [];
  const losses: Loss[] = [];
  for (const { part, index } of parts) {
    const said = say(part);
    for (const block of said.blocks) blocks.push(block);
    if (said.reason !== undefined) losses.push({ path: `parts[${index}]`, reason: said.reason });
  }
  return { blocks, losses };
}

/** Says the content of one result, all under the path of that result. */
export function sayContent<Part, Block>(
  content: readonly Part[],
  index: number,
  say: (part: Part) => Said<Block>,
): SaidAll<Block> {
  return sayAll(
    content.map((part) => ({ part, index })),
    say,
  );
}
