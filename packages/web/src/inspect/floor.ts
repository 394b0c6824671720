import { biggestParts, countTools, objectOf } from '@throughline/core/internal';
import { policyOf } from './policy-of.ts';
import { requestAt } from './request-at.ts';
import type { Inspected } from './inspected.ts';

/** One tool as it is told to the model. */
interface ToolFloor {
  readonly name: string;
  readonly tokens: number;
}

/** What no compaction can take away, in measured tokens. */
interface FloorPart {
  /** `tools` holds all of a server, or those of the agent or client itself. */
  readonly kind: 'system' | 'tools' | 'task' | 'request' | 'pins' | 'unanswered' | 'uncounted';
  /** The name of a tool server; else the kind in words. */
  readonly name: string;
  /** The server that `tools` come from; `null` for all other kinds. */
  readonly server: string | null;
  readonly tokens: number;
  /** Takes one to the message. */
  readonly recallId: string | null;
  /** What `tools` is made of, the largest first. */
  readonly tools: readonly ToolFloor[];
}

export interface Floor {
  /** The largest first; they add up to `tokens`. */
  readonly parts: readonly FloorPart[];
  readonly tokens: number;
  readonly usableTokens: number;
  /** What to do about it, in a sentence; `null` where nothing stands out. */
  readonly advice: string | null;
}

/** The floor of the next request, by the engine's own measure; tools by the server that they come from. */
export function floorOf(inspected: Inspected): Floor {
  const { usableTokens } = inspected.setup;
  const { transcript, state } = requestAt(inspected, 'next');
  const measured = biggestParts(transcript, policyOf(inspected), state);
  const parts = measured
    .flatMap(({ name, tokens, recallId }): readonly FloorPart[] => {
      if (name === 'tools') return toolParts(inspected, tokens);
      const kind = kinds[name];
      const words = kind === undefined ? uncountedNames[inspected.source] : names[kind];
      return [
        {
          kind: kind ?? 'uncounted',
          name: words,
          server: null,
          tokens,
          recallId: recallId ?? null,
          tools: [],
        },
      ];
    })
    .toSorted((a, b) => b.tokens - a.tokens);
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  return {
    parts,
    tokens,
    usableTokens,
    advice: adviceOn(parts, { tokens, usableTokens, source: inspected.source }),
  };
}

type MessageKind = Exclude<FloorPart['kind'], 'tools' | 'uncounted'>;

const kinds: Readonly<Record<string, MessageKind>> = {
  system: 'system',
  task: 'task',
  request: 'request',
  pins: 'pins',
  unanswered: 'unanswered',
};

const names: Readonly<Record<MessageKind, string>> = {
  system: 'system text',
  task: 'the task',
  request: 'the newest request',
  pins: 'pinned messages',
  unanswered: 'what is not answered yet',
};

const uncountedNames: Readonly<Record<Inspected['source'], string>> = {
  session: 'what the provider counts beside that',
  conversation: 'the client’s instructions and tools, which are not known',
  file: 'system text and tools, which are not in the file',
};

/** What has the tools that are of no server. */
const owners: Readonly<Record<Inspected['source'], Owner>> = {
  session: 'agent',
  file: 'agent',
  conversation: 'client',
};

/** What all tools come to, shared out as the estimate of each has it: the parts add up to it. */
function toolParts({ transcript, source }: Inspected, total: number): readonly FloorPart[] {
  const estimates = transcript.tools.map((tool) => ({
    name: toolName(tool),
    tokens: countTools([tool], transcript.estimator),
  }));
  const sum = estimates.reduce((all, { tokens }) => all + tokens, 0);
  let shared = 0;
  let given = 0;
  const tools = estimates.map(({ name, tokens }): ToolFloor => {
    shared += tokens;
    const end = sum === 0 ? 0 : Math.round((total * shared) / sum);
    const own = end - given;
    given = end;
    return { name, tokens: own };
  });
  return [...Map.groupBy(tools, ({ name }) => serverOf(name) ?? null)].map(([server, ofServer]) => ({
    kind: 'tools',
    name: server ?? `tools of the ${owners[source]}`,
    server,
    tokens: ofServer.reduce((all, { tokens }) => all + tokens, 0),
    recallId: null,
    tools: ofServer.toSorted((a, b) => b.tokens - a.tokens),
  }));
}

/** As agents and providers write it: with its name on the tool, or inside of a function. */
function toolName(tool: unknown): string {
  const { name, function: inner, type } = objectOf(tool);
  const found = name ?? objectOf(inner)['name'] ?? type;
  return typeof found === 'string' ? found : 'a tool';
}

/** `mcp__server__tool`. */
function serverOf(name: string): string | undefined {
  return /^mcp__(.+?)__./.exec(name)?.[1];
}

/** A part that takes less of what is usable is not worth a word. */
const notableShare = 0.1;
const crowdedShare = 0.5;

type Owner = 'agent' | 'client';
type Whole = Pick<Floor, 'tokens' | 'usableTokens'> & Pick<Inspected, 'source'>;

function adviceOn(parts: readonly FloorPart[], { tokens, usableTokens, source }: Whole): string | null {
  const [biggest] = parts;
  if (!biggest || usableTokens <= 0) return null;
  if (biggest.tokens < usableTokens * notableShare && tokens < usableTokens * crowdedShare) return null;
  const share = `${short.format(biggest.tokens)} of your ${short.format(usableTokens)} tokens`;
  if (biggest.kind === 'uncounted') return uncountedAdvices[source](share);
  return advices[biggest.kind](biggest, { share, owner: owners[source] });
}

type Advice = (part: FloorPart, around: { readonly share: string; readonly owner: Owner }) => string;

const uncountedAdvices: Readonly<Record<Inspected['source'], (share: string) => string>> = {
  session: (share) => `The provider counts ${share} more than we can see: a system text or tools of its own.`,
  conversation: (share) =>
    `The client’s own instructions and tools take ${share}: turn off the tool servers of the client that this work does not need.`,
  file: (share) =>
    `System text and tools, which the file does not hold, take ${share}: turn off the tool servers that this work does not need.`,
};

const advices: Readonly<Record<Exclude<FloorPart['kind'], 'uncounted'>, Advice>> = {
  system: (_, { share }) =>
    `The system text takes ${share}: shorten it, or move what is seldom needed into files.`,
  tools: ({ server, tools }, { share, owner }) =>
    server === null
      ? `The ${owner}’s own tools take ${share}: leave out those that this work does not need.`
      : `The tools of ${server} take ${share}: turn that server off, or leave out ${tools[0]?.name ?? 'some'}, its largest.`,
  task: (_, { share }) => `The task takes ${share}: put what is long in it into a file, and name the file.`,
  request: (_, { share }) => `The newest request takes ${share}: put what is long in it into a file.`,
  pins: (_, { share }) => `Pinned messages take ${share}: unpin what is not needed word by word.`,
  unanswered: (_, { share }) =>
    `What the model has not answered yet takes ${share}; it can be compacted after the answer.`,
};

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
