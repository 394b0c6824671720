import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import { jsonText } from '../../transcript/entry-text.ts';
import type { WireObject } from '../decode-parts.ts';
import type { Mending } from '../mending.ts';
import { mendBlock, mendList, mendName, mendText, requireRole, withMembers } from '../mending.ts';

const roles = ['system', 'user', 'assistant', 'tool'];
const longestName = 128;

type PartMender = (part: WireObject, at: Path, mending: Mending) => unknown;

const parts: ReadonlyMap<unknown, PartMender> = new Map<unknown, PartMender>([
  ['text', (part, at, mending) => mendText(part, at, mending)],
  ['reasoning', (part, at, mending) => mendText(part, at, mending)],
  ['call', mendCall],
  ['result', mendResult],
  ['media', mendMedia],
]);

export function mendSession(given: unknown, mending: Mending): unknown {
  const message = requireRole(given, roles, mending);
  const { parts: said } = message;
  if (!Array.isArray(said)) mending.refuse(['parts'], 'a list of parts', said);
  const mended = mendList(said as unknown[], ['parts'], (part, at) =>
    mendBlock(
      part,
      at,
      {
        textType: 'text',
        foreign: [],
        mend: (found) => parts.get(found['type'])?.(found, at, mending) ?? found,
      },
      mending,
    ),
  );
  return withMembers(message, { parts: mended });
}

function mendCall(part: WireObject, at: Path, mending: Mending): unknown {
  const name = mendName(part['name'], [...at, 'name'], longestName, mending);
  if (name === undefined) return mending.drop(at, 'a call without the name of a tool left out');
  return withMembers(part, { callId: mending.callId([...at, 'callId'], part['callId'], name), name });
}

function mendResult(part: WireObject, at: Path, mending: Mending): unknown {
  const { content } = part;
  const answered = mending.answered([...at, 'callId'], part['callId'], part['name']);
  if (!answered) return mending.drop(at, 'a result without the id of its call left out');
  const isText = content !== undefined && content !== null;
  const text = typeof content === 'string' ? content : jsonText(content);
  return withMembers(part, {
    callId: answered.callId,
    content: Array.isArray(content)
      ? content
      : mending.put([...at, 'content'], 'became a list', isText ? [{ type: 'text', text }] : []),
  });
}

function mendMedia(part: WireObject, at: Path, mending: Mending): unknown {
  const { mediaType, source } = part;
  if (typeof mediaType !== 'string') mending.refuse([...at, 'mediaType'], 'a media type', mediaType);
  return isObject(source) ? part : mending.refuse([...at, 'source'], 'an object with data or url', source);
}
