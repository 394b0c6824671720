import { isObject } from '../../json/json.ts';
import type { Codec, Composed, NeutralMedia, NeutralPart, Synthetic, WireRules } from '../codec.ts';
import { runsOf } from '../compose-parts.ts';
import { sourceOfUrl } from '../media.ts';
import { neutralParts } from '../neutral-parts.ts';
import { decodeSession } from './decode.ts';
import { editSession } from './edit.ts';
import { mendSession } from './mend.ts';
import type { SessionMessage, SessionPart } from './wire.ts';

const rules: WireRules = {
  resultsIn: 'tool-message',
  entriesPerResponse: 'one',
  firstIsUser: false,
  allowsConsecutiveRoles: true,
  systemMessages: 'anywhere',
  uniqueCallIds: false,
  resultsAdjacent: true,
  mediaIn: { user: true, assistant: true, result: true },
  resultsFirst: false,
};

/** The runtime's own stored messages; see `wire.ts`. */
export const sessionCodec: Codec = {
  name: 'session',
  rules,
  decode: decodeSession,
  mend: mendSession,
  edit: editSession,
  compose: composeSession,
  neutral: (entry) => neutralParts(entry, readMedia),
};

/**
 * Says everything: results in tool messages of their own, the rest in messages of the role. The id is left to the
 * store, which knows the ones that are taken; it is empty here.
 */
function composeSession(item: Synthetic): Composed<SessionMessage> {
  const { role, kind } = item;
  const meta = kind === 'converted' ? {} : { meta: { kind } };
  const speaker = role === 'tool' ? 'user' : role;
  const messages = runsOf(item).map((run): SessionMessage => {
    const placed = run.type === 'results' ? run.results : run.parts;
    const parts = placed.map(({ part }) => sessionPart(part));
    return { id: '', role: run.type === 'results' ? 'tool' : speaker, parts, ...meta };
  });
  return { messages, losses: [] };
}

function sessionPart(part: NeutralPart): SessionPart {
  if (part.type === 'call')
    return { ...part, input: (part.input ?? null) as Extract<SessionPart, { type: 'call' }>['input'] };
  return part;
}

function readMedia(block: unknown): NeutralMedia['source'] | undefined {
  const source = isObject(block) ? block['source'] : undefined;
  if (!isObject(source)) return undefined;
  if (typeof source['data'] === 'string') return { type: 'base64', data: source['data'] };
  return typeof source['url'] === 'string' ? sourceOfUrl(source['url']) : undefined;
}
