import { formatNumber, shortTokens } from '../../terminal/numbers.ts';
import type { CompactionOutcome, UndoOutcome } from '@throughline/agent';
import type { Notice } from '../notices.ts';
import type { SlashContext } from './slash-command.ts';

const busy: Notice = { tone: 'warning', text: 'A run is busy: wait for its end, or stop it with Esc.' };

type Told<Outcome extends { readonly type: string }> = {
  readonly [Type in Outcome['type']]: (outcome: Extract<Outcome, { type: Type }>) => Notice | undefined;
};

// What was compacted or undone, and that a compaction was cancelled, is told by an event.
const compactions: Told<CompactionOutcome> = {
  compacted: () => undefined,
  cancelled: () => undefined,
  busy: () => busy,
  'nothing-to-do': ({ tokens }) => ({
    tone: 'plain',
    text: `There is nothing to compact: the context has ${shortTokens(tokens)} tokens.`,
  }),
  'cannot-fit': ({ usableTokens, requestTokens }) => ({
    tone: 'bad',
    text: `It cannot fit: the smallest request measures ${formatNumber(requestTokens)} tokens, ${formatNumber(usableTokens)} are usable. A model with a larger window (/model) or a new session (/new) helps.`,
  }),
};

const undos: Told<UndoOutcome> = {
  undone: () => undefined,
  busy: () => busy,
  'nothing-to-undo': () => ({ tone: 'plain', text: 'There is no compaction to take back.' }),
  refused: ({ usableTokens, viewTokens }) => ({
    tone: 'warning',
    text: `It is not taken back: the context would have ${formatNumber(viewTokens)} tokens, and ${formatNumber(usableTokens)} are usable. A model with a larger window could take it (/model).`,
  }),
};

/** `/compact [focus]` */
export async function compactCommand({ session, signal, say }: SlashContext, focus: string): Promise<void> {
  const outcome = await session.compact({ signal, ...(focus === '' ? {} : { focus }) });
  tell(compactionNotice(outcome.type, outcome), say);
}

/** `/undo` */
export async function undoCommand({ session, say }: SlashContext): Promise<void> {
  const outcome = await session.undo();
  tell(undoNotice(outcome.type, outcome), say);
}

function compactionNotice<Type extends CompactionOutcome['type']>(
  type: Type,
  outcome: Extract<CompactionOutcome, { type: Type }>,
): Notice | undefined {
  return compactions[type](outcome);
}

function undoNotice<Type extends UndoOutcome['type']>(
  type: Type,
  outcome: Extract<UndoOutcome, { type: Type }>,
): Notice | undefined {
  return undos[type](outcome);
}

function tell(notice: Notice | undefined, say: SlashContext['say']): void {
  if (notice) say(notice.text, notice.tone);
}
