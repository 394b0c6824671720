import { bar } from '../../terminal/charts.ts';
import { busy } from './slash-command.ts';
import { cannotFitText, measureEntry, scriptAwareEstimator } from '@throughline/core';
import { defaultMediaPricing } from '@throughline/core/internal';
import { describeCall } from '../../inspect/describe-call.ts';
import { formatNumber, formatPercent, shortTokens } from '../../terminal/numbers.ts';
import { printable } from '../../terminal/text.ts';
import { table } from '../../terminal/table.ts';
import type { Column } from '../../terminal/table.ts';
import type { CompactionOutcome, SwitchOutcome, UndoOutcome, UsageByCategory } from '@throughline/agent';
import type { Entry } from '@throughline/core';
import type { ModelDriver } from '@throughline/ports';
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

/** `/context`: what the tokens of the next request are spent on, and the largest messages. */
export async function contextCommand({ session, columns, print }: SlashContext): Promise<void> {
  const [usage, request] = await Promise.all([session.context(), session.request()]);
  const { currentTokens, limit, windowTokens, triggerTokens, percentUsed, estimated, byCategory } = usage;
  const about = estimated ? 'about ' : '';
  const head = `The next request has ${about}${formatNumber(currentTokens)} tokens: ${percentUsed < 9.95 ? percentUsed.toFixed(1) : Math.round(percentUsed)} % of the ${formatNumber(limit)} that are usable (window ${shortTokens(windowTokens)}); it is compacted above ${formatNumber(triggerTokens)}.`;
  const rows = categories
    .filter((category) => byCategory[category] > 0)
    .toSorted((a, b) => byCategory[b] - byCategory[a])
    .map((category) => {
      const tokens = byCategory[category];
      const share = currentTokens > 0 ? tokens / currentTokens : 0;
      return [categoryNames[category], formatNumber(tokens), formatPercent(share), bar(share, barColumns)];
    });
  const layout: readonly Column[] = [
    { title: '' },
    { title: 'tokens', align: 'right' },
    { title: '', align: 'right' },
    { title: '', canDrop: true },
  ];
  const largest = largestMessages(request.messages, session.model);
  print([
    { speaker: 'notice', tone: 'heading', text: head },
    { speaker: 'notice', tone: 'plain', text: table(layout, rows, columns).join('\n') },
    ...(largest.length === 0
      ? []
      : ([
          { speaker: 'notice', tone: 'heading', text: 'The largest messages:' },
          { speaker: 'notice', tone: 'plain', text: table(largestLayout, largest, columns).join('\n') },
        ] as const)),
  ]);
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

const categoryNames: Readonly<Record<keyof UsageByCategory, string>> = {
  system: 'instructions',
  tools: 'tools',
  user: 'you',
  assistant: 'the model',
  toolResults: 'tool results',
  media: 'images and files',
  summary: 'summary',
};
const categories = Object.keys(categoryNames) as readonly (keyof UsageByCategory)[];

const shownLargest = 5;
const barColumns = 20;
const meter = { estimator: scriptAwareEstimator, media: defaultMediaPricing };

const largestLayout: readonly Column[] = [
  { title: '', align: 'right' },
  { title: '' },
  { title: '', canCut: true },
];

/** Their estimated tokens, who said them, and how they begin. */
function largestMessages(messages: readonly unknown[], { codec }: ModelDriver): string[][] {
  const entries = messages.map((message, index) => codec.decode(message, index));
  const calls = entries.flatMap(({ parts }) => parts.filter((part) => part.type === 'call'));
  const names = new Map(calls.map(({ callId, name }) => [callId, name]));
  return entries
    .map((entry) => ({ entry, tokens: measureEntry(entry, meter).tokens }))
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, shownLargest)
    .map(({ entry, tokens }) => [
      `~${formatNumber(Math.round(tokens))}`,
      roleOf(entry, names),
      beginningOf(entry),
    ]);
}

function roleOf({ role, parts }: Entry, names: ReadonlyMap<string, string>): string {
  const result = parts.find((part) => part.type === 'result');
  if (result) return printable(result.name ?? names.get(result.callId) ?? 'result');
  return role === 'user' ? 'you' : role === 'assistant' ? 'the model' : role;
}

function beginningOf({ parts }: Entry): string {
  const texts = parts.map((part): string => {
    if (part.type === 'text' || part.type === 'reasoning') return part.text;
    if (part.type === 'call') return `${part.name} ${describeCall(part)}`;
    if (part.type === 'result')
      return part.pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join(' ');
    return '';
  });
  return printable(texts.join(' ').trim().slice(0, 300)).replace(/ +/g, ' ');
}
