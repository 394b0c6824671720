import type { AvailableCommand } from '@agentclientprotocol/sdk';
import type { AgentSession, CompactionOutcome, UndoOutcome } from '@throughline/agent';

interface CommandContext {
  readonly session: AgentSession;
  readonly argument: string;
  readonly signal: AbortSignal;
}

interface SlashCommand {
  readonly description: string;
  /** What may stand behind the name. */
  readonly hint?: string;
  /** What is to be said of it; `undefined` where events have told all. */
  readonly run: (context: CommandContext) => Promise<string | undefined>;
}

const commands: Readonly<Record<string, SlashCommand>> = {
  compact: {
    description: 'Make the context smaller',
    hint: 'what the summary should pay attention to',
    run: async ({ session, argument, signal }) => {
      const outcome = await session.compact({ signal, ...(argument === '' ? {} : { focus: argument }) });
      return said(compactions, outcome.type, outcome);
    },
  },
  undo: {
    description: 'Take the last compaction back',
    run: async ({ session }) => {
      const outcome = await session.undo();
      return said(undos, outcome.type, outcome);
    },
  },
  context: {
    description: 'Show what fills the context window',
    run: async ({ session }) => {
      const { currentTokens, limit, windowTokens, byCategory } = await session.context();
      const shares = Object.entries(byCategory)
        .filter(([, tokens]) => tokens > 0)
        .map(([name, tokens]) => `${name} ${Math.round(tokens)}`);
      return (
        `${Math.round(currentTokens)} of ${Math.round(limit)} usable tokens (window ${windowTokens}): ` +
        `${shares.join(', ')}.`
      );
    },
  },
};

/** For the menu of the editor. */
export const availableCommands: AvailableCommand[] = Object.entries(commands).map(
  ([name, { description, hint }]) => ({
    name,
    description,
    ...(hint !== undefined && { input: { hint } }),
  }),
);

export function commandNamed(name: string): SlashCommand | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

type Sayings<Outcome extends { readonly type: string }> = {
  readonly [Type in Outcome['type']]: (
    outcome: Extract<Outcome, { readonly type: Type }>,
  ) => string | undefined;
};

const busy = 'The session is busy: try again when the turn is over.';

const compactions: Sayings<CompactionOutcome> = {
  compacted: ({ tokensBefore, tokensAfter }) =>
    `Compacted: ${Math.round(tokensBefore)} → ${Math.round(tokensAfter)} tokens.`,
  cancelled: () => undefined,
  busy: () => busy,
  'nothing-to-do': ({ tokens }) =>
    `There is nothing to compact: the context has ${Math.round(tokens)} tokens.`,
  'cannot-fit': ({ usableTokens, requestTokens }) =>
    `It cannot fit: the smallest request measures ${requestTokens} tokens, ${usableTokens} are usable.`,
};

const undos: Sayings<UndoOutcome> = {
  undone: ({ tokensAfter }) =>
    `The last compaction is taken back: the context has ${Math.round(tokensAfter)} tokens.`,
  busy: () => busy,
  'nothing-to-undo': () => 'There is no compaction to take back.',
  refused: ({ usableTokens, viewTokens }) =>
    `It is not taken back: the context would have ${viewTokens} tokens, and ${usableTokens} are usable.`,
};

function said<Outcome extends { readonly type: string }, Type extends Outcome['type']>(
  sayings: Sayings<Outcome>,
  type: Type,
  outcome: Extract<Outcome, { readonly type: Type }>,
): string | undefined {
  return sayings[type](outcome);
}
