import { shortDuration } from '../../terminal/numbers.ts';
import { targetOf } from '../../inspect/describe-call.ts';
import type { AgentEvents, ApprovalAnswer, ApprovalRequest } from '@throughline/agent';
import type { Block } from './block.ts';
import type { Json } from '@throughline/core/codec';

type Result = AgentEvents['llm:tool-result'];

const slowMs = 1_000;

/** A finished call: one line, and a few lines of what came out. Of a failure more is shown. */
export function resultBlocks(result: Result, target: string): readonly Block[] {
  const { success, isCancelled, durationMs, toolName } = result;
  const mark = success ? '✓ ' : isCancelled ? '■ ' : '✗ ';
  const notes = [
    ...(success ? [] : [isCancelled ? 'cancelled' : 'failed']),
    ...(durationMs >= slowMs ? [shortDuration(durationMs)] : []),
  ];
  const note = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  const tone = success ? 'good' : isCancelled ? 'warning' : 'bad';
  const title = titleBlock({ mark, tone }, `${toolName}${note} ${target}`);
  const output = textOf(result.content);
  if (output.trim() === '') return [title];
  const fold = success ? { head: 4, tail: 0 } : { head: 4, tail: 8 };
  return [title, { speaker: 'tool', tone: success ? 'faint' : 'plain', mark: '  ', text: output, fold }];
}

/** A call as one line. */
export function titleBlock(look: Pick<Block, 'mark' | 'tone'>, text: string): Block {
  return { speaker: 'tool', ...look, text: text.replace(/\s+/g, ' ').trim(), fold: { head: 1, tail: 0 } };
}

function textOf(content: Result['content']): string {
  return content
    .map((piece) => (piece.type === 'text' ? piece.text : `[${piece.mediaType}]`))
    .join('\n')
    .replace(/^\n+/, '');
}

/** What a call is about, in one line. */
export function targetText(args: Json): string {
  const target =
    targetOf(args) ?? (isEmpty(args) ? '' : typeof args === 'string' ? args : JSON.stringify(args));
  return target.slice(0, 400);
}

function isEmpty(args: Json): boolean {
  return args === null || (typeof args === 'object' && Object.keys(args).length === 0);
}

/** A question in full: what would run, word for word, and what the tool can reach. */
export function requestBlocks(request: ApprovalRequest): readonly Block[] {
  const { toolName, input, warning } = request;
  return [
    { speaker: 'notice', tone: 'warning', mark: '? ', text: `${toolName} wants to run:` },
    ...inputBlocks(input),
    ...(warning === '' ? [] : [{ speaker: 'notice', tone: 'warning', mark: '  ', text: warning } as const]),
  ];
}

function inputBlocks(input: Json): readonly Block[] {
  const shown = { speaker: 'notice', tone: 'plain', mark: '  ' } as const;
  if (input === null || typeof input !== 'object' || Array.isArray(input))
    return [{ ...shown, text: typeof input === 'string' ? input : JSON.stringify(input, null, 2) }];
  return Object.entries(input).flatMap(([name, value]): Block[] => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    // A command is never shortened: what is hidden would be what matters.
    if (name === 'command') return [{ ...shown, mark: '  $ ', text }];
    if (!text.includes('\n')) return [{ ...shown, text: `${name}: ${text}` }];
    return [
      { ...shown, text: `${name}:` },
      { ...shown, mark: '    ', text, fold: { head: 40, tail: 20 } },
    ];
  });
}

/** What became of a question. */
export function answerBlock(request: ApprovalRequest, answer: ApprovalAnswer): Block {
  const { toolName, grant } = request;
  if (answer.type === 'deny') {
    const reason = answer.reason === undefined || answer.reason === '' ? '' : `: ${answer.reason}`;
    return { speaker: 'notice', tone: 'warning', mark: '  ', text: `denied ${toolName}${reason}` };
  }
  const what = grant.key === undefined ? `every ${toolName}` : `this ${toolName}`;
  const scopes = {
    once: `allowed ${toolName} once`,
    session: `allowed ${what} for this session`,
    always: `allowed ${what} always`,
  };
  return { speaker: 'notice', tone: 'faint', mark: '  ', text: scopes[answer.scope] };
}
