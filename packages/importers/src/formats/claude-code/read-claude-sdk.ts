import { anthropicCodec } from '@throughline/core';
import { isObject, objectOf, textOf } from '../../recording/json-value.ts';
import { joinTalk } from './join-talk.ts';
import type { FormatReading, ReadOptions } from '../../recording/format.ts';
import type { LinesDocument, RecordedSession } from '../../recording/recording.ts';
import type { Talk } from './join-talk.ts';

const types: ReadonlySet<unknown> = new Set([
  'system',
  'assistant',
  'user',
  'result',
  'stream_event',
  'tool_progress',
  'auth_status',
  'rate_limit_event',
]);

export function ownsClaudeSdkLine(value: unknown): boolean {
  return (
    isObject(value) &&
    types.has(value['type']) &&
    typeof value['session_id'] === 'string' &&
    !('sessionId' in value)
  );
}

/**
 * Reads the message stream of the Claude Agent SDK. Active is what follows the last compaction boundary (its summary
 * comes first); what is before each boundary is archived; messages of a subagent name the call that started it.
 */
export function readClaudeSdk(document: LinesDocument, options: ReadOptions): FormatReading {
  const stretches: Talk[][] = [[]];
  const subagents = new Map<string, Talk[]>();
  let id = 'session';
  let model: string | undefined;
  for (const [line, { value }] of document.lines.entries()) {
    const event = objectOf(value);
    id = textOf(event['session_id']) ?? id;
    if (event['type'] === 'system' && event['subtype'] === 'init') model = textOf(event['model']) ?? model;
    if (event['type'] === 'system' && event['subtype'] === 'compact_boundary' && !options.isWhole)
      stretches.push([]);
    const talk = talkOf(event, line);
    if (talk === undefined) continue;
    const agent = textOf(event['parent_tool_use_id']);
    if (agent === undefined) stretches.at(-1)?.push(talk);
    else subagents.set(agent, [...(subagents.get(agent) ?? []), talk]);
  }
  const session = (
    talk: readonly Talk[],
    kind: RecordedSession['kind'],
    sessionId: string,
  ): RecordedSession => {
    const details = model === undefined ? {} : { model };
    return {
      id: sessionId,
      kind,
      codec: anthropicCodec,
      ...joinTalk(talk),
      holdsWholePrompt: false,
      ...details,
    };
  };
  const filled = stretches.filter((talk) => talk.length > 0);
  const active = filled.pop();
  const sessions = [
    ...(active ? [session(active, 'active', id)] : []),
    ...filled.toReversed().map((talk, index) => session(talk, 'archived', `${id}#archived-${index + 1}`)),
    ...[...subagents].map(([agent, talk]) => session(talk, 'subagent', `${id}#${agent}`)),
  ];
  return {
    sessions,
    notes: [{ note: 'the stream holds neither the system prompt nor the first user message' }],
  };
}

function talkOf(event: Readonly<Record<string, unknown>>, line: number): Talk | undefined {
  const { type, message } = event;
  if ((type !== 'user' && type !== 'assistant') || !isObject(message)) return undefined;
  return { line, role: type, message };
}
