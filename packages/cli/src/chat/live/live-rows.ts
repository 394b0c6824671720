import { bar } from '../../terminal/charts.ts';
import { cutTo, padEnd, printable, printableLines, widthOf } from '../../terminal/text.ts';
import { flow, paintOf } from '../state/block.ts';
import { shortDuration, shortTokens } from '../../terminal/numbers.ts';
import { targetText } from '../state/tool-blocks.ts';
import { createStyle } from '../../terminal/page.ts';
import { shownText } from './line-editor.ts';
import type { ApprovalRequest } from '@throughline/agent';
import type { ChatState, LiveCall } from '../state/chat-state.ts';
import type { Editor } from './line-editor.ts';
import type { LivePart } from '../../terminal/live-screen.ts';
import type { Style } from '../../terminal/page.ts';

/** What the terminal layer knows beside the state. */
interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly style: Style;
  readonly nowMs: number;
  readonly editor: Editor;
  /** The reason for a denial is being typed. */
  readonly isDenying: boolean;
  /** Said in the place of the usage line for a moment. */
  readonly hint: string;
}

const inputRows = 8;
/** Columns that a text is typed in before its mark goes. */
const narrowestEditor = 6;
/** Where rows are wider than the terminal whatever is done: they are cut, colours and all. */
const narrowestScreen = 20;

/** The part at the bottom: never as high as the screen, no row as wide as it. */
export function liveRows(state: ChatState, screen: Screen): LivePart {
  if (screen.columns >= narrowestScreen) return liveRowsOf(state, screen);
  const { rows, cursor } = liveRowsOf(state, { ...screen, style: createStyle(false) });
  const room = Math.max(1, screen.columns - 1);
  return {
    rows: rows.map((row) => cutTo(row, room)),
    cursor: { ...cursor, x: Math.min(cursor.x, room - 1) },
  };
}

function liveRowsOf(state: ChatState, screen: Screen): LivePart {
  const columns = Math.max(1, screen.columns - 1);
  const sized = { ...screen, columns };
  const input = inputPart(state, sized);
  const foot = [usageRow(state, sized)];
  const room = Math.max(0, screen.rows - 1 - input.rows.length - foot.length - 1);
  const head = [
    ...writingRows(state, sized),
    ...callRows(state, sized),
    ...activityRows(state, sized),
    ...queueRows(state, sized),
  ];
  const shown = room === 0 ? [] : head.slice(-room);
  const line = screen.style.faint('─'.repeat(columns));
  const rows = [...shown, line, ...input.rows, ...foot];
  // A live part as high as the screen could not be drawn again in its place.
  const excess = Math.max(0, rows.length - Math.max(1, screen.rows - 1));
  const y = Math.max(0, shown.length + 1 + input.y - excess);
  return { rows: rows.slice(excess), cursor: { x: input.x, y } };
}

/** The row of the answer that is not full yet; of reasoning, the last two. */
function writingRows({ writing, lastSpeaker }: ChatState, { columns, style }: Screen): string[] {
  if (!writing || writing.tail === '') return [];
  const gap = writing.chunkType === lastSpeaker || lastSpeaker === null ? [] : [''];
  if (writing.chunkType === 'text')
    return [...gap, paintOf(writing.tone, style)(cutTo(writing.tail.trimEnd(), columns))];
  const rows = printableLines(writing.tail.slice(-columns * 4)).flatMap((line) => flow(line, columns - 2));
  return [
    ...gap,
    ...rows.slice(-2).map((row, index) => style.faint(`${index === 0 ? '✻' : ' '} ${row.trimEnd()}`)),
  ];
}

/** Calls that are shown before the rest is counted. */
const shownCalls = 6;
const shownOutput = 3;

function callRows({ calls }: ChatState, screen: Screen): string[] {
  const isAlone = calls.length === 1;
  const rows = calls.slice(0, shownCalls).flatMap((call) => callRow(call, isAlone, screen));
  const more = calls.length - shownCalls;
  return [...rows, ...(more > 0 ? [screen.style.faint(`  … and ${more} more`)] : [])];
}

function callRow(call: LiveCall, isAlone: boolean, { columns, style, nowMs }: Screen): string[] {
  const { toolName, target, isRunning, sinceMs, output } = call;
  const state = isRunning ? shortDuration(nowMs - sinceMs) : 'waits';
  const title = `${isRunning ? '◐' : '○'} ${printable(`${toolName} (${state}) ${target}`)}`;
  const lines =
    output === '' ? [] : printableLines(output.replace(/\s+$/, '')).slice(isAlone ? -shownOutput : -1);
  return [
    style.bar(cutTo(title, columns)),
    ...lines.map((line) => style.faint(`  ${cutTo(line, columns - 2)}`)),
  ];
}

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 120;

function activityRows(state: ChatState, { columns, style, nowMs }: Screen): string[] {
  const { run, command, retry, isCancelling, approvals } = state;
  const since = run?.sinceMs ?? command?.sinceMs;
  if (since === undefined || (approvals.length > 0 && !isCancelling)) return [];
  const sign = spinner[Math.floor(nowMs / frameMs) % spinner.length] ?? '';
  if (isCancelling) return [style.warning(`${sign} stopping …`)];
  const text = retry
    ? retryText(retry, nowMs)
    : `${doing(state)} (${shortDuration(nowMs - since)}, Esc stops)`;
  return [(retry ? style.warning : style.faint)(cutTo(`${sign} ${printable(text)}`, columns))];
}

function retryText({ attempt, nextAtMs, reason }: NonNullable<ChatState['retry']>, nowMs: number): string {
  const seconds = Math.ceil((nextAtMs - nowMs) / 1_000);
  const when = seconds > 0 ? `try ${attempt} in ${seconds} s` : `try ${attempt}`;
  return `${when} (Esc stops): ${reason}`;
}

function doing({ compaction, calls, writing, command }: ChatState): string {
  if (compaction)
    return compaction.phase === 'summarizing' ? 'compacting: the summary is written' : 'compacting';
  if (calls.length > 0) return calls.length === 1 ? 'a tool works' : `${calls.length} tools work`;
  if (writing) return writing.chunkType === 'text' ? 'answering' : 'thinking';
  return command ? command.name : 'thinking';
}

/** What waits is taken at the next step, also by another process; behind a run that was stopped it is held. */
function queueRows({ waiting, run, isLeftElsewhere }: ChatState, { columns, style }: Screen): string[] {
  if (waiting.length === 0) return [];
  const texts = waiting.map(({ text }) => printable(text.slice(0, 200)).trim()).join(' · ');
  const held = isLeftElsewhere ? 'left to the other process' : 'held (/resume goes on)';
  const state = run ? 'waiting' : held;
  return [style.faint(cutTo(`${waiting.length} ${state}: ${texts}`, columns))];
}

interface InputPart {
  readonly rows: readonly string[];
  readonly x: number;
  readonly y: number;
}

function inputPart(state: ChatState, screen: Screen): InputPart {
  const [request] = state.approvals;
  if (!request) return editorPart(screen, '› ');
  const question = questionRows(request, state.approvals.length, screen);
  if (!screen.isDenying) return { rows: question, x: 0, y: Math.max(0, question.length - 1) };
  const reason = editorPart(screen, 'why not? ');
  return { ...reason, rows: [...question, ...reason.rows], y: question.length + reason.y };
}

function questionRows(request: ApprovalRequest, count: number, { columns, style }: Screen): string[] {
  const { toolName, input, grant } = request;
  const of = count > 1 ? ` (1 of ${count})` : '';
  const title = printable(`Allow ${toolName}?${of} ${targetText(input).replace(/\s+/g, ' ')}`);
  const what = grant.key === undefined ? `every ${printable(toolName)}` : 'just this';
  const keys = `y once · s for this session, ${what} · a always, ${what} · n no · Esc stops`;
  const rows = flow(keys, columns).map((row) => style.faint(row.trimEnd()));
  return [style.warning(cutTo(title, columns)), ...rows];
}

/** The text being typed, as many rows of it as there is room for, around the cursor. */
function editorPart({ editor, columns }: Screen, wantedMark: string): InputPart {
  const mark = widthOf(wantedMark) + narrowestEditor > columns ? '' : wantedMark;
  const indent = widthOf(mark);
  const room = Math.max(1, columns - indent - 1);
  const { text, cursor } = shownText(editor);
  const rows: string[] = [];
  let place = { x: 0, y: 0 };
  let at = 0;
  for (const line of text.split('\n')) {
    const pieces = flow(printable(line), room);
    pieces.forEach((piece, index) => {
      const end = at + piece.length;
      const isLast = index === pieces.length - 1;
      if (cursor >= at && (cursor < end || (isLast && cursor === end)))
        place = { x: widthOf(text.slice(at, cursor)), y: rows.length };
      rows.push(piece);
      at = end;
    });
    at += 1;
  }
  const first = Math.max(0, Math.min(place.y - inputRows + 1, rows.length - inputRows));
  const shown = rows.slice(first, first + inputRows);
  return {
    rows: shown.map((row, index) => (index === 0 ? mark : padEnd('', indent)) + row.trimEnd()),
    x: indent + Math.min(place.x, room),
    y: place.y - first,
  };
}

const barColumns = 10;

/** Model, how full the context is, the last step. What does not fit is left out from the right. */
function usageRow(state: ChatState, { columns, style, hint }: Screen): string {
  if (hint !== '') return style.warning(cutTo(hint, columns));
  const { usage, lastStep, model } = state;
  const parts: { readonly plain: string; readonly shown: string }[] = [];
  const add = (plain: string, shown = style.faint(plain)): void => void parts.push({ plain, shown });
  add(cutTo(printable(model), Math.max(10, Math.floor(columns / 3))));
  if (usage) {
    const { percentUsed, level, limit, estimated } = usage;
    const filled = padEnd(bar(percentUsed / 100, barColumns).slice(0, barColumns), barColumns);
    const percent = `${estimated ? '~' : ''}${percentUsed < 9.95 ? percentUsed.toFixed(1) : Math.round(percentUsed)} %`;
    const paint = level === 'critical' ? style.bad : level === 'warning' ? style.warning : style.good;
    add(
      `▕${filled}▏ ${percent} of ${shortTokens(limit)}`,
      `${style.faint('▕')}${paint(filled)}${style.faint('▏')} ${paint(percent)}${style.faint(` of ${shortTokens(limit)}`)}`,
    );
  }
  if (lastStep) {
    add(`in ${shortTokens(lastStep.input)}, out ${shortTokens(lastStep.output)}`);
    if (lastStep.input > 0) add(`cache ${Math.round((100 * lastStep.cacheRead) / lastStep.input)} %`);
  }
  return joinFitting(parts, columns, style.faint(' · '));
}

function joinFitting(
  parts: readonly { readonly plain: string; readonly shown: string }[],
  columns: number,
  gap: string,
): string {
  let used = 0;
  const shown: string[] = [];
  for (const part of parts) {
    used += widthOf(part.plain) + (shown.length > 0 ? 3 : 0);
    if (used > columns) break;
    shown.push(part.shown);
  }
  return shown.join(gap);
}
