import { aiSdkCodec, convertMessages } from '@throughline/core';
import { partsOf, withParts } from './model-message.ts';
import type { SessionToReplay } from '@throughline/replay';
import type { ModelMessage, ModelPart } from './model-message.ts';

/** A session in the format of the AI SDK, grown step by step. */
interface ModelHistory {
  /** The first `length` messages of the session. Ask with growing lengths, each where a response begins. */
  upTo(length: number): readonly ModelMessage[];
}

/**
 * Converts a session for peers. Signed reasoning stays behind: it cannot cross formats, and no peer is charged for it.
 * Ids that the log uses twice are made unique, so that a peer that pairs by id is not at a loss. `splitsResults`: each
 * result is a message of its own, as most libraries have it; else those of parallel calls are one, as the AI SDK has it.
 */
export function createModelHistory(
  { codec, messages }: Pick<SessionToReplay, 'codec' | 'messages'>,
  { splitsResults }: { readonly splitsResults: boolean },
): ModelHistory {
  const converted: ModelMessage[] = [];
  const rename = createRenamer();
  let known = 0;
  return {
    upTo(length) {
      if (length === known) return [...converted];
      // A piece begins with a response and ends before the next: nothing is joined across its borders.
      const entries = messages
        .slice(known, length)
        .map((message, index) => codec.decode(message, known + index));
      const piece = convertMessages(entries, codec, aiSdkCodec).messages as readonly ModelMessage[];
      for (const message of piece.map(withParts).flatMap((one) => (splitsResults ? split(one) : [one])))
        converted.push(rename(message));
      known = length;
      return [...converted];
    },
  };
}

function split(message: ModelMessage): ModelMessage[] {
  if (message.role !== 'tool') return [message];
  return partsOf(message).map((part) => ({ role: 'tool', content: [part] }));
}

function createRenamer(): (message: ModelMessage) => ModelMessage {
  const uses = new Map<string, number>();
  const nameOf = (id: string): string => {
    const count = uses.get(id) ?? 1;
    return count === 1 ? id : `${id}-${count}`;
  };
  const renamed = (part: ModelPart): ModelPart => {
    if (part.type === 'tool-call') uses.set(part.toolCallId, (uses.get(part.toolCallId) ?? 0) + 1);
    if (part.type !== 'tool-call' && part.type !== 'tool-result') return part;
    const toolCallId = nameOf(part.toolCallId);
    return toolCallId === part.toolCallId ? part : { ...part, toolCallId };
  };
  return (message) => {
    if (message.role === 'system') return message;
    const parts = partsOf(message);
    const after = parts.map(renamed);
    return after.every((part, index) => part === parts[index]) ? message : { ...message, content: after };
  };
}
