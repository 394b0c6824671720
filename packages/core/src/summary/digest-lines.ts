import { callInputText, callLeaves, entryText, pairResults, resultText } from '../transcript/entry-text.ts';
import { checklist, isTodoTool } from './find-todos.ts';
import { exitCodeOf, isFailedResult, lastErrorLine } from './failed-result.ts';
import { filesOfCall, isShellTool, shellScripts } from './touched-files.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { oneLine } from './cut-text.ts';
import { ownWords } from '../transcript/own-words.ts';
import { sentences } from './instruction-sentences.ts';
import type { Entry } from '../transcript/entry.ts';
import type { FoldSource } from './fold-source.ts';
import type { PairedResult } from '../transcript/entry-text.ts';
import type { SectionRole } from './profiles/profile.ts';

/** The lines a digest may write, per section, oldest first; the newest are the last to give way. */
export type DigestLines = { readonly [Role in SectionRole]: readonly string[] };

// Bonus only: a language that is missing here gets the last sentences of each answer instead.
const decisionWords =
  /decid|instead|because|chose|rather than|approach|root cause|turns out|the (?:problem|issue|fix|reason|cause)\b|should use|will use|we need|important|weil|statt|deshalb|parce que|porque|потому|решил|原因|理由|方針|決定|因为|所以|因此|改为|때문|결정/i;
const nextWords =
  /\bnext\b(?!\()|remaining|\btodo\b|still (?:need|have|to)|let me|now i|i(?:'|’)ll|i will|going to|then we|follow.?up|als nächstes|noch|ensuite|siguiente|далее|осталось|次に|残り|これから|続いて|接下来|下一步|还需|다음|이제/i;

// A digest has room for some sixty lines, and the newest are the last to give way: what is older is not worth reading.
const mostResults = 240;
const mostAnswers = 100;

type Happened = Pick<FoldSource, 'entries' | 'latest' | 'task'>;

/** Reads what happened, without a model. */
export function digestLines(source: Happened): DigestLines {
  const { entries } = source;
  const results = pairResults(entries).slice(-mostResults);
  const said = saidOf(entries).slice(-mostAnswers);
  return {
    done: doneLines(entries, results),
    decisions: decisionLines(said),
    state: stateLines(source, results),
    pending: pendingLines(said),
    errors: errorLines(results),
  };
}

/** One table row per run of calls on the same thing. */
function doneLines(entries: readonly Entry[], results: readonly PairedResult[]): string[] {
  const rows = new Map<string, DoneRow>();
  const reasons = reasonsByEntry(entries);
  for (const result of results) {
    const row = doneRow(result, oneLine(reasons.get(result.call?.callId ?? '') ?? '', 160));
    if (!row) continue;
    const key = `${row.action}\n${row.what}`;
    const known = rows.get(key);
    // The newest run of the same thing tells how it ended; deleting first moves it to its new place.
    rows.delete(key);
    rows.set(key, {
      ...row,
      times: (known?.times ?? 0) + 1,
      why: row.why === '' ? (known?.why ?? '') : row.why,
    });
  }
  return [...rows.values()].map(({ what, action, why, outcome, times, id }) => {
    const count = times > 1 ? ` ×${times}` : '';
    return `| ${cell(what)} | ${action}${count} | ${cell([outcome, why, id].filter((text) => text !== '').join('; '))} |`;
  });
}

interface DoneRow {
  readonly what: string;
  readonly action: string;
  readonly outcome: string;
  readonly why: string;
  readonly id: string;
  readonly times: number;
}

const maxWhat = 140;

function doneRow({ call, part, entry }: PairedResult, why: string): DoneRow | undefined {
  if (call === undefined || isTodoTool(call.name)) return undefined;
  const base = { why, id: messageRecallId(entry.ordinal), times: 1 };
  const failed = isFailedResult(part, call);
  const leaves = callLeaves(call);
  if (isShellTool(call.name)) {
    const command = oneLine(shellScripts(leaves).join('; '), maxWhat);
    const code = exitCodeOf(resultText(part));
    const outcome = code === undefined ? (failed ? 'failed' : 'ok') : `exit ${code}`;
    return command === ''
      ? undefined
      : { ...base, what: command, action: 'ran', outcome: `${outcome}${lastOutput(part, failed)}` };
  }
  const files = filesOfCall(call);
  const changed = files.filter(({ isChange }) => isChange);
  if (changed.length > 0) {
    return {
      ...base,
      what: changed
        .map(({ path }) => path)
        .slice(0, 4)
        .join(', '),
      action: call.name,
      outcome: failed ? 'failed' : '',
    };
  }
  if (files.length > 0)
    return {
      ...base,
      what: files
        .map(({ path }) => path)
        .slice(0, 4)
        .join(', '),
      action: call.name,
      outcome: failed ? 'failed' : '',
    };
  const what =
    leaves.length === 0
      ? callInputText(call)
      : leaves
          .map(({ text }) => text)
          .slice(0, 3)
          .join(' ');
  return { ...base, what: oneLine(what, maxWhat), action: call.name, outcome: failed ? 'failed' : '' };
}

function lastOutput(part: PairedResult['part'], failed: boolean): string {
  const line = failed
    ? lastErrorLine(part)
    : oneLine(resultText(part).trimEnd().split('\n').at(-1) ?? '', 100);
  return line === '' ? '' : `: ${line}`;
}

/** The first sentence the assistant wrote with each call. */
function reasonsByEntry(entries: readonly Entry[]): Map<string, string> {
  const reasons = new Map<string, string>();
  let last = '';
  for (const entry of entries) {
    if (entry.role !== 'assistant') continue;
    const text = entryText(entry).trim();
    if (text !== '') last = text.slice(text.lastIndexOf('\n') + 1);
    for (const part of entry.parts) {
      if (part.type !== 'call') continue;
      reasons.set(part.callId, last);
      last = '';
    }
  }
  return reasons;
}

const checkItem = /^(?:[-*+]|\d{1,4}[.)]) \[.\] /;

interface Said {
  readonly entry: Entry;
  readonly text: string;
  /** The last message before the user speaks again. */
  readonly isAnswer: boolean;
}

function saidOf(entries: readonly Entry[]): Said[] {
  const said: Said[] = [];
  entries.forEach((entry, index) => {
    if (entry.role !== 'assistant') return;
    const next = entries[index + 1];
    const isAnswer = next === undefined || (next.role === 'user' && entryText(next) !== '');
    said.push({ entry, text: entryText(entry), isAnswer });
  });
  return said;
}

const maxSentence = 300;

function decisionLines(said: readonly Said[]): string[] {
  const lines = new Set<string>();
  for (const { entry, text, isAnswer } of said) {
    const all = sentences(text).filter((sentence) => !checkItem.test(sentence));
    const found = all.filter((sentence) => decisionWords.test(sentence.slice(0, 600)));
    const chosen =
      found.length > 0
        ? found.slice(0, 6)
        : isAnswer
          ? all.filter((sentence) => !nextWords.test(sentence)).slice(-2)
          : [];
    for (const sentence of chosen)
      lines.add(`- ${plain(oneLine(sentence, maxSentence))} (${messageRecallId(entry.ordinal)})`);
  }
  return [...lines];
}

function stateLines({ entries, latest, task }: Happened, results: readonly PairedResult[]): string[] {
  const lines: string[] = [];
  for (const { call, part, entry } of results.slice(-4)) {
    const failed = isFailedResult(part, call);
    const name = call?.name ?? part.name ?? 'tool';
    const input =
      call === undefined
        ? ''
        : oneLine(
            callLeaves(call)
              .map(({ text }) => text)
              .slice(0, 2)
              .join(' '),
            100,
          );
    lines.push(
      `- ${name} ${input} (${messageRecallId(entry.ordinal)}): ${failed ? 'failed' : 'ok'}${plain(lastOutput(part, failed))}`,
    );
  }
  const asked =
    latest ?? entries.findLast((entry) => entry.role === 'user' && ownWords(entry) !== '') ?? task;
  if (asked)
    lines.push(
      `- **Asked last** (${messageRecallId(asked.ordinal)}): ${plain(oneLine(ownWords(asked), 300))}`,
    );
  const spoken = entries.findLast((entry) => entry.role === 'assistant' && entryText(entry).trim() !== '');
  if (spoken) {
    const paragraphs = entryText(spoken)
      .split(/\n\s*\n/)
      .filter((text) => text.trim() !== '');
    const last = paragraphs.slice(-2).map((text) => plain(oneLine(text, 500)));
    lines.push(`- **Last said** (${messageRecallId(spoken.ordinal)}): ${last.join(' / ')}`);
  }
  return lines;
}

function pendingLines(said: readonly Said[]): string[] {
  const lines = new Set<string>();
  for (const { text } of said.slice(-8)) {
    for (const todo of checklist(text) ?? []) lines.add(`- [ ] ${plain(todo)}`);
    const next = sentences(text).filter((sentence) => nextWords.test(sentence.slice(0, 600)));
    for (const sentence of next.slice(-3)) lines.add(`- [ ] (said) ${plain(oneLine(sentence, maxSentence))}`);
  }
  return [...lines];
}

function errorLines(results: readonly PairedResult[]): string[] {
  const lines = new Map<string, string>();
  for (const { call, part, entry } of results) {
    if (!isFailedResult(part, call)) continue;
    const name = call?.name ?? part.name ?? 'tool';
    const line = plain(lastErrorLine(part));
    lines.delete(line);
    lines.set(line, `- ${name} (${messageRecallId(entry.ordinal)}): ${line}`);
  }
  return [...lines.values()];
}

/** One line that can be no heading and no row of a table. */
function plain(text: string): string {
  return text.replace(/^[#>|\-*\s]+/, '').replaceAll('**', '');
}

function cell(text: string): string {
  return text.replace(/\|/g, '¦');
}
