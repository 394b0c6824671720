import { formatNumber } from '../../terminal/numbers.ts';
import type { Notice } from '../notices.ts';
import type { SlashContext } from './slash-command.ts';
import type { SwitchOutcome } from '@throughline/agent';

type Told = {
  readonly [Type in SwitchOutcome['type']]: (
    outcome: Extract<SwitchOutcome, { type: Type }>,
  ) => Notice | undefined;
};

const told: Told = {
  // Told by an event.
  switched: () => undefined,
  busy: () => ({ tone: 'warning', text: 'A run is busy: wait for its end, or stop it with Esc.' }),
  'cannot-fit': ({ usableTokens, requestTokens }) => ({
    tone: 'bad',
    text: `The conversation does not fit that model: the smallest request measures ${formatNumber(requestTokens)} tokens, ${formatNumber(usableTokens)} are usable. Nothing has changed.`,
  }),
};

/** `/model [provider:name]`: which it is, or goes on with another. */
export async function modelCommand({ services, session, say }: SlashContext, name: string): Promise<void> {
  if (name === '')
    return say(`The model is ${session.model.name}. /model provider:name goes on with another.`);
  const outcome = await session.switchModel(await services.driverNamed(name));
  const notice = noticeOf(outcome.type, outcome);
  if (notice) say(notice.text, notice.tone);
}

function noticeOf<Type extends SwitchOutcome['type']>(
  type: Type,
  outcome: Extract<SwitchOutcome, { type: Type }>,
): Notice | undefined {
  return told[type](outcome);
}
