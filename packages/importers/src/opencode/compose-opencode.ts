import type { Composed, Loss, NeutralPart, Synthetic } from '@throughline/core';

interface WirePart {
  readonly type: string;
  readonly [key: string]: unknown;
}

type Result = Extract<NeutralPart, { type: 'result' }>;

/**
 * An OpenCode message with `info.role` and `parts`; a call and its result, where the same message holds both, become
 * one tool part. Ids, times and models are not known here: the writer of an export fills them in from the messages
 * beside. A result without its call, as a message of its own, cannot be said: OpenCode keeps both in one place.
 */
export function composeOpencode(item: Synthetic): Composed<unknown> {
  const results = new Map<string, Result>();
  for (const part of item.parts) if (part.type === 'result') results.set(part.callId, part);
  const parts: WirePart[] = [];
  const losses: Loss[] = [];
  for (const [index, part] of item.parts.entries()) {
    const said = say(part, results);
    if (typeof said === 'string') losses.push({ path: `parts[${index}]`, reason: said });
    else parts.push(...said);
  }
  const role = item.role === 'assistant' ? 'assistant' : 'user';
  const unanswered = [...results.keys()].map((callId) => ({
    path: callId,
    reason: 'a result without its call',
  }));
  const messages = parts.length === 0 ? [] : [{ info: { role }, parts }];
  return { messages, losses: [...losses, ...unanswered] };
}

/** The parts of one neutral part, or the reason why there are none. */
function say(part: NeutralPart, results: Map<string, Result>): readonly WirePart[] | string {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text }];
    case 'media': {
      const url =
        part.source.type === 'url' ? part.source.url : `data:${part.mediaType};base64,${part.source.data}`;
      const name = part.filename === undefined ? {} : { filename: part.filename };
      return [{ type: 'file', mime: part.mediaType, ...name, url }];
    }
    case 'call': {
      const result = results.get(part.callId);
      results.delete(part.callId);
      return [{ type: 'tool', callID: part.callId, tool: part.name, state: stateOf(part.input, result) }];
    }
    case 'result':
      return [];
  }
}

function stateOf(input: unknown, result: Result | undefined): object {
  const text = (result?.content ?? []).flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n');
  if (result === undefined) return { status: 'error', input, error: 'The tool call was interrupted' };
  if (result.isError) return { status: 'error', input, error: text };
  return { status: 'completed', input, output: text, title: '', metadata: {} };
}
