import { writeJson } from '@throughline/core';
import { idAfter, idAt, idBefore, partId } from './ids.ts';
import { arrayOf, isObject, objectOf, textOf } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import type { CompleteMessage } from '../write/write-request.ts';

/**
 * What OpenCode requires of a message that it did not write: ids, session, time, model and agent, taken from the
 * messages beside it. Its id sorts right after that of the message before it, since OpenCode orders messages by their
 * ids. What a message has of its own stays, and what may be absent is not made up.
 */
export const completeOpencodeMessage: CompleteMessage = (message, { before, nearest, position }) => {
  const { info, parts, ...rest } = objectOf(message);
  const own = objectOf(info);
  const near = infoOf(nearest);
  const seed = `${position} ${writeJson(message)}`;
  const beforeInfo = infoOf(before);
  const id = idOf(own, { before: before === undefined ? undefined : beforeInfo, near, seed });
  const sessionID = own['sessionID'] ?? near['sessionID'];
  const created = objectOf((before === undefined ? near : beforeInfo)['time'])['created'] ?? 0;
  const isAnswer = own['role'] === 'assistant';
  const time = { created, ...(isAnswer ? { completed: created } : {}) };
  const beside = isAnswer ? answerOf(near, textOf(beforeInfo['id'])) : requestOf(near);
  // One with a time of its own is put back as it was: it lacks nothing.
  const required = own['time'] === undefined ? { ...beside, time } : {};
  return {
    ...rest,
    info: { ...required, ...own, id, sessionID },
    parts: arrayOf(parts).map((part, index) => ({
      ...timed(objectOf(part), created),
      id: known(objectOf(part)['id']) ?? partId(id, index, seed),
      sessionID,
      messageID: id,
    })),
  };
};

interface Beside {
  readonly before: JsonObject | undefined;
  readonly near: JsonObject;
  readonly seed: string;
}

/** Its own id where that stands in order. */
function idOf(own: JsonObject, { before, near, seed }: Beside): string {
  const ownId = known(own['id']);
  if (before === undefined) return ownId ?? idBefore(known(near['id']) ?? '', seed);
  const beforeId = known(before['id']);
  if (ownId !== undefined && (beforeId === undefined || ownId > beforeId)) return ownId;
  if (beforeId !== undefined) return idAfter(beforeId, seed);
  const { created } = objectOf(before['time']);
  return idAt(typeof created === 'number' ? created : 0, seed);
}

/** Exports can be redacted: then ids say nothing. */
function known(id: unknown): string | undefined {
  return id === 'REDACTED' ? undefined : textOf(id);
}

function infoOf(message: unknown): JsonObject {
  return objectOf(objectOf(message)['info']);
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

/** No `finish`: of an answer that is finished OpenCode believes the token counts, and nothing was counted here. */
function answerOf(near: JsonObject, parentID: string | undefined): JsonObject {
  return {
    parentID: parentID ?? near['parentID'] ?? near['id'],
    ...modelOf(near),
    mode: near['mode'] ?? 'build',
    agent: near['agent'] ?? 'build',
    path: near['path'] ?? { cwd: '/', root: '/' },
    cost: 0,
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
  };
}

/** A tool part says when it ran, a thought when it was thought. */
function timed(part: JsonObject, created: unknown): JsonObject {
  const span = { start: created, end: created };
  const { state } = part;
  if (isObject(state)) return { ...part, state: { time: span, ...state } };
  return part['type'] === 'reasoning' ? { time: span, ...part } : part;
}
