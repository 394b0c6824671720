import { isObject, textOf } from '../json-value.ts';

const bookkeeping: ReadonlySet<unknown> = new Set([
  'file-history-snapshot',
  'queue-operation',
  'custom-title',
  'ai-title',
]);

/** Whether a line can only come from a Claude Code session. */
export function ownsClaudeCodeLine(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type } = value;
  if (bookkeeping.has(type)) return true;
  if (type === 'summary') return textOf(value['leafUuid']) !== undefined;
  const isTalk = type === 'user' || type === 'assistant';
  if (isTalk && isObject(value['message'])) {
    // Some exports keep nothing but the message and its time.
    const isBare = !('session_id' in value) && 'timestamp' in value && value['message']['role'] === type;
    return 'parentUuid' in value || 'sessionId' in value || isBare;
  }
  return 'uuid' in value && 'parentUuid' in value && 'sessionId' in value;
}
