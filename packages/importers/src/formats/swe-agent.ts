import { openaiChatCodec } from '@throughline/core';
import { isObject, listOf, objectOf, textOf } from '../recording/json-value.ts';
import type { Codec, Entry } from '@throughline/core';
import type { CallId, Part, WireEdit } from '@throughline/core/codec';
import type { CompleteMessage, FormatReading } from '../recording/format.ts';
import type { WireObject } from '../recording/json-value.ts';
import type { JsonDocument } from '../recording/recording.ts';

export function sweAgentEvidence(root: unknown): number {
  if (!isObject(root) || !Array.isArray(root['history']) || !Array.isArray(root['trajectory'])) return 0;
  return 4 + root['history'].length;
}

/** Reads a SWE-agent trajectory: its `history`, the system prompt included. Usage is a total of the run, so none is kept. */
export function readSweAgent({ value }: JsonDocument): FormatReading {
  const root = objectOf(value);
  const messages = listOf(root['history']);
  if (messages.length === 0) return { sessions: [], notes: [] };
  const environment = textOf(root['environment']);
  return {
    sessions: [
      {
        id: environment ?? 'trajectory',
        kind: 'active',
        codec: sweAgentCodec,
        messages,
        origins: messages.map((_, index) => ({ type: 'element', array: ['history'], index })),
        usage: [],
        holdsWholePrompt: false,
      },
    ],
    notes: [],
  };
}

const messageTypes: ReadonlyMap<unknown, string> = new Map([
  ['system', 'system_prompt'],
  ['assistant', 'action'],
  ['user', 'observation'],
  ['tool', 'observation'],
]);

/** The agent, and the ids of results as the list that SWE-agent keeps. What a message has of its own stays. */
export const completeSweAgentMessage: CompleteMessage = (message, { nearest }) => {
  const { tool_call_id: id, ...rest } = objectOf(message);
  const near = objectOf(nearest);
  const type = near['message_type'] === undefined ? undefined : messageTypes.get(rest['role']);
  const said = rest['role'] === 'assistant' ? { thought: textOf(rest['content']) ?? '', action: '' } : {};
  const completed: WireObject = {
    ...(type === undefined ? {} : { message_type: type }),
    agent: textOf(near['agent']) ?? 'main',
    ...said,
    ...rest,
    ...(id === undefined ? {} : { tool_call_ids: [id] }),
  };
  return completed;
};

/** OpenAI chat messages whose tool results carry their ids as a list, `tool_call_ids`. */
export const sweAgentCodec: Codec = {
  ...openaiChatCodec,
  name: 'swe-agent',
  decode: (message, ordinal) => withListedId(openaiChatCodec.decode(message, ordinal)),
  edit: (entry, changes) => openaiChatCodec.edit(entry, changes).map((edit) => inList(entry, edit)),
};

function listedId(wire: unknown): string | undefined {
  const ids = isObject(wire) && wire['tool_call_id'] === undefined ? wire['tool_call_ids'] : undefined;
  return Array.isArray(ids) ? textOf(ids[0]) : undefined;
}

function withListedId(entry: Entry): Entry {
  const id = listedId(entry.wire);
  if (id === undefined) return entry;
  const parts = entry.parts.map((part): Part =>
    part.type === 'result' ? { ...part, callId: id as CallId } : part,
  );
  return { ...entry, parts };
}

/** Where the chat format writes the id of a result, this one has a list. */
function inList(entry: Entry, edit: WireEdit): WireEdit {
  const isId = edit.at.length === 1 && edit.at[0] === 'tool_call_id' && 'set' in edit;
  return isId && listedId(entry.wire) !== undefined ? { at: ['tool_call_ids', 0], set: edit.set } : edit;
}
