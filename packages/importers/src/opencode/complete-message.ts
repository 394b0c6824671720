import { derivedHex } from '../write/derived-id.ts';
import { arrayOf, isObject, objectOf, textOf } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import type { CompleteMessage } from '../write/write-request.ts';

/**
 * Ids, session, time, model and agent of a message that OpenCode did not write. Its id sorts right after that of the
 * message before it, since OpenCode orders messages by their ids.
 */
export const completeOpencodeMessage: CompleteMessage = (message, { before, nearest, position }) => {
  const { info, parts } = objectOf(message);
  const near = infoOf(nearest);
  const role = objectOf(info)['role'];
  const beforeId = textOf(infoOf(before)['id']);
  const hex = derivedHex(`${position} ${JSON.stringify(message)}`);
  const id = `${beforeId ?? firstId(near)}${hex.slice(0, 12)}`;
  const sessionID = near['sessionID'];
  const created = objectOf((before === undefined ? near : infoOf(before))['time'])['created'] ?? 0;
  const shared = {
    id,
    sessionID,
    role,
    time: { created, ...(role === 'assistant' ? { completed: created } : {}) },
  };
  return {
    info:
      role === 'assistant' ? { ...shared, ...answerOf(near, beforeId) } : { ...shared, ...requestOf(near) },
    parts: arrayOf(parts).map((part, index) => {
      const time = toolTime(part, created);
      return {
        ...objectOf(part),
        ...time,
        id: `prt_${hex.slice(0, 24)}${String(index).padStart(4, '0')}`,
        sessionID,
        messageID: id,
      };
    }),
  };
};

function infoOf(message: unknown): JsonObject {
  return objectOf(objectOf(message)['info']);
}

/** An id that sorts before that of the first message. */
function firstId(near: JsonObject): string {
  const id = textOf(near['id']) ?? '';
  return id.startsWith('msg_') ? 'msg_0' : 'msg_';
}

function modelOf(near: JsonObject): { readonly providerID: unknown; readonly modelID: unknown } {
  const model = objectOf(near['model']);
  return {
    providerID: near['providerID'] ?? model['providerID'] ?? 'unknown',
    modelID: near['modelID'] ?? model['modelID'] ?? 'unknown',
  };
}

function requestOf(near: JsonObject): JsonObject {
  return { agent: near['agent'] ?? 'build', model: modelOf(near) };
}

function answerOf(near: JsonObject, parentID: string | undefined): JsonObject {
  return {
    parentID: parentID ?? near['parentID'] ?? near['id'],
    ...modelOf(near),
    mode: near['mode'] ?? 'build',
    agent: near['agent'] ?? 'build',
    path: near['path'] ?? { cwd: '/', root: '/' },
    cost: 0,
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
    finish: 'stop',
  };
}

/** A tool part says when it ran. */
function toolTime(part: unknown, created: unknown): JsonObject {
  const { state } = objectOf(part);
  return isObject(state) ? { state: { ...state, time: { start: created, end: created } } } : {};
}
