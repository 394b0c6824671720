import { openaiChatCodec } from '@throughline/core';
import { isObject, textOf } from '../json-value.ts';
import type { CallId, Codec, Entry, Part, WireEdit } from '@throughline/core';

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
