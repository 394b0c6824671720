import { askers, talk } from './askers.ts';
import type { DialectName } from '../src/stream/dialect-streams.ts';
import type { Said } from './askers.ts';

export const paths: Readonly<Record<DialectName, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
};

export const dialectNames = Object.keys(paths) as readonly DialectName[];

export interface Question {
  readonly dialect: DialectName;
  readonly isStreamed: boolean;
  /** What is asked, or the whole talk. @default a question that is answered with 40 tokens */
  readonly text?: string;
  readonly messages?: readonly Said[];
  readonly more?: object;
}

/** The body of a question, as its dialect writes it. */
function bodyOf({ dialect, isStreamed, text = 'Answer with 40 tokens.', messages, more }: Question): string {
  const said = (messages ?? [{ role: 'user', text }]).map((one) => ({ role: one.role, content: one.text }));
  const stream = { model: 'm', stream: isStreamed };
  return JSON.stringify(
    dialect === 'responses'
      ? { ...stream, input: said, ...more }
      : { ...stream, max_tokens: 900, messages: said, ...more },
  );
}

/** The call of it, as a raw one. */
export function callOf(question: Question): { path: string; headers: Record<string, string>; body: string } {
  return {
    path: paths[question.dialect],
    headers: { 'anthropic-version': '2023-06-01' },
    body: bodyOf(question),
  };
}

/** The real client of a dialect. */
export function askerOf(dialect: DialectName): (typeof askers)['messages'] {
  return askers[dialect === 'chat' ? 'chat completions' : dialect];
}

const filler = 'The account of the customer was moved to the other ledger because it was closed. '.repeat(12);

/** A talk of about 250 tokens a turn. */
export function longTalk(turns: number, last?: string): readonly Said[] {
  return talk(turns, (turn) =>
    turn === turns - 1 && last !== undefined ? last : `Question ${turn}: why was it moved? ${filler}`,
  );
}
