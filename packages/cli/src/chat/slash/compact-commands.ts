import { cannotFitText } from '@throughline/core';
import { busy } from './slash-command.ts';
import { formatNumber, shortTokens } from '../../terminal/numbers.ts';
import type { CompactionOutcome, SwitchOutcome, UndoOutcome } from '@throughline/agent';
import type { Notice } from '../state/notices.ts';
import type { SlashContext } from './slash-command.ts';

/** `/compact [focus]` */
export async function compactCommand({ session, signal, say }: SlashContext, focus: string): Promise<void> {
  const outcome = await session.compact({ signal, ...(focus === '' ? {} : { focus }) });
  tell(noticeOf(compactions, outcome.type, outcome), say);
}

/** `/undo` */
export async function undoCommand({ session, say }: SlashContext): Promise<void> {
  const outcome = await session.undo();
  tell(noticeOf(undos, outcome.type, outcome), say);
}

/** `/model [provider:name]`: which it is, or goes on with another. */
export async function modelCommand({ services, session, say }: SlashContext, name: string): Promise<void> {
  if (name === '')
    return say(`The model is ${session.model.name}. /model provider:name goes on with another.`);
  const outcome = await session.switchModel(await services.driverNamed(name));
  tell(noticeOf(switches, outcome.type, outcome), say);
}

const inChat = { number: formatNumber };

type Told<Outcome extends { readonly type: string }> = {
  readonly [Type in Outcome['type']]: (
    outcome: Extract<Outcome, { readonly type: Type }>,
  ) => Notice | undefined;
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
  'cannot-fit': (noFit) => ({
    tone: 'bad',
    text: `${cannotFitText(noFit, inChat)} A model with a larger window (/model) or a new session (/new) helps.`,
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

const switches: Told<SwitchOutcome> = {
  // Told by an event.
  switched: () => undefined,
  busy: () => busy,
  'cannot-fit': (noFit) => ({
    tone: 'bad',
    text: `${cannotFitText(noFit, inChat)} The model stays what it was; nothing has changed.`,
  }),
};

function noticeOf<Outcome extends { readonly type: string }, Type extends Outcome['type']>(
  told: Told<Outcome>,
  type: Type,
  outcome: Extract<Outcome, { readonly type: Type }>,
): Notice | undefined {
  return told[type](outcome);
}

function tell(notice: Notice | undefined, say: SlashContext['say']): void {
  if (notice) say(notice.text, notice.tone);
}
