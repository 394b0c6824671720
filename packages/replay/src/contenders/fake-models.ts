/** One question to the summariser and its answer, for the bill (M4) and for what it has read (M10). */
export interface SummaryCall {
  /** What it was told to do. */
  readonly instructions: string;
  /** What it was given to summarise: all it can know. */
  readonly conversation: string;
  readonly answer: string;
}

/** Stands in for a model: the same for every contender, and charged to each in the same way. */
export interface FakeSummariser {
  ask(instructions: string, conversation: string, maxTokens?: number): string;
  /** An answer of another kind, made elsewhere, on the same bill. */
  answer(instructions: string, conversation: string, text: string): string;
  /** The questions since the last call of this. */
  takeCalls(): readonly SummaryCall[];
}

const mostTokens = 1_000;
const lineChars = 200;
/** Share of the room for the first lines, which say what the work is for, and for the last, which say where it stands. */
const edgeShare = 0.1;

/**
 * Extractive and deterministic: of what it is given, the first lines, the last lines, and between them the lines that
 * together hold the most telling words (maximal coverage; words weighted by how often they come and how few lines hold
 * them, names most), each cut to 200 characters, at most 1 000 tokens in all. It knows nothing of the metrics' patterns,
 * but prefers lines that are dense with names, like a model that was told to keep them. Where the instructions ask for
 * headings, it writes the first of them above its answer, as a model would.
 */
export function createFakeSummariser(textTokens: (text: string) => number): FakeSummariser {
  let calls: SummaryCall[] = [];
  const answer = (instructions: string, conversation: string, text: string): string => {
    calls.push({ instructions, conversation, answer: text });
    return text;
  };
  return {
    answer,
    ask(instructions, conversation, maxTokens = mostTokens) {
      const heading = /^#{1,3} .+$/m.exec(instructions)?.[0];
      const room = Math.min(maxTokens, mostTokens) - (heading === undefined ? 0 : textTokens(heading) + 2);
      const extract = extractOf(conversation, Math.max(20, room), textTokens);
      return answer(instructions, conversation, heading === undefined ? extract : `${heading}\n${extract}`);
    },
    takeCalls() {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
}

type TextTokens = (text: string) => number;

interface Line {
  readonly text: string;
  readonly place: number;
  readonly words: readonly string[];
  readonly tokens: number;
}

function extractOf(text: string, maxTokens: number, textTokens: TextTokens): string {
  const lines = linesOf(text, textTokens);
  const chosen = new Set<Line>();
  let left = maxTokens;
  const take = (line: Line): void => {
    chosen.add(line);
    left -= line.tokens;
  };
  const edge = (order: readonly Line[]): void => {
    const least = left - maxTokens * edgeShare;
    for (const line of order) {
      if (left - line.tokens < least) return;
      if (!chosen.has(line)) take(line);
    }
  };
  edge(lines);
  edge(lines.toReversed());
  const weights = weightsOf(lines);
  const covered = new Set([...chosen].flatMap(({ words }) => words));
  const gain = ({ words, tokens }: Line): number =>
    words.reduce((sum, word) => sum + (covered.has(word) ? 0 : (weights.get(word) ?? 0)), 0) / tokens;
  // What a line adds only shrinks as others are taken: the best is the first whose value is still up to date.
  const waiting = lines
    .filter((line) => !chosen.has(line))
    .map((line) => ({ line, value: gain(line) }))
    .sort((a, b) => b.value - a.value);
  for (let next = waiting.shift(); next && next.value > 0; next = waiting.shift()) {
    const value = gain(next.line);
    if (value < (waiting[0]?.value ?? 0)) {
      const at = waiting.findIndex((other) => other.value <= value);
      waiting.splice(at < 0 ? waiting.length : at, 0, { line: next.line, value });
      continue;
    }
    if (next.line.tokens > left) continue;
    take(next.line);
    for (const word of next.line.words) covered.add(word);
  }
  return [...chosen]
    .sort((a, b) => a.place - b.place)
    .map((line) => line.text)
    .join('\n');
}

/** The lines with words in them, each once. */
function linesOf(text: string, textTokens: TextTokens): Line[] {
  const cut = text.split('\n').map((line) => line.trim().slice(0, lineChars).toWellFormed());
  return [...new Set(cut)]
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .map((line, place) => ({
      text: line,
      place,
      words: [...new Set(line.match(/[\p{L}\p{N}_$@./-]{3,80}/gu))],
      tokens: textTokens(line) + 1,
    }));
}

/** A word that is no plain word: a mark or digit in it, or a capital behind a small letter. */
const nameLike = /[\p{L}\p{N}][/_.@-][\p{L}\p{N}]|\p{N}|\p{Ll}\p{Lu}/u;
const nameWeight = 4;

/** By word: the higher, the more often it comes and the fewer of all lines hold it; names count four times. */
function weightsOf(lines: readonly Line[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { words } of lines) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map(
    [...counts].map(([word, count]) => {
      const weight = Math.log2(1 + count) * Math.log2((1 + lines.length) / count);
      return [word, nameLike.test(word) ? weight * nameWeight : weight];
    }),
  );
}

const message = /^<message index="(\d+)" role="(\w+)"[^>\n]* tokens="(\d+)">$/gm;
/** Share of the tokens up for decision that is to go. */
const dropShare = 0.5;

/**
 * Stands in for the model that decides, message by message, what of a history is still needed: it drops results and
 * calls, oldest first, until half of the tokens are gone, and keeps what was said.
 */
export function fakeDecisions(prompt: string): string {
  const messages = [...prompt.matchAll(message)].map(([, index, role, tokens]) => ({
    index: Number(index),
    isTool: role === 'tool',
    tokens: Number(tokens),
  }));
  let left = messages.reduce((sum, { tokens }) => sum + tokens, 0) * dropShare;
  const decisions = messages.flatMap(({ index, isTool, tokens }) => {
    if (!isTool || left <= 0) return [];
    left -= tokens;
    return [{ index, action: 'drop' }];
  });
  return JSON.stringify(decisions);
}
