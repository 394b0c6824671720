import { writeJson } from '@throughline/core/internal';
import { isObject, listOf, objectOf, textOf } from '../../recording/json-value.ts';
import { derivedHex } from '../../write/derived-id.ts';
import type { CompleteMessage } from '../../recording/format.ts';
import type { WireObject } from '../../recording/json-value.ts';
import type { ViewMessage } from '../../recording/recording.ts';

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
    parts: listOf(parts).map((part, index) => ({
      ...timed(objectOf(part), created),
      id: known(objectOf(part)['id']) ?? partId(id, index, seed),
      sessionID,
      messageID: id,
    })),
  };
};

interface Beside {
  readonly before: WireObject | undefined;
  readonly near: WireObject;
  readonly seed: string;
}

/** Its own id where that stands in order. */
function idOf(own: WireObject, { before, near, seed }: Beside): string {
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

function infoOf(message: unknown): WireObject {
  return objectOf(objectOf(message)['info']);
}

function modelOf(near: WireObject): { readonly providerID: unknown; readonly modelID: unknown } {
  const model = objectOf(near['model']);
  return {
    providerID: near['providerID'] ?? model['providerID'] ?? 'unknown',
    modelID: near['modelID'] ?? model['modelID'] ?? 'unknown',
  };
}

function requestOf(near: WireObject): WireObject {
  return { agent: near['agent'] ?? 'build', model: modelOf(near) };
}

/** No `finish`: of an answer that is finished OpenCode believes the token counts, and nothing was counted here. */
function answerOf(near: WireObject, parentID: string | undefined): WireObject {
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
function timed(part: WireObject, created: unknown): WireObject {
  const span = { start: created, end: created };
  const { state } = part;
  if (isObject(state)) return { ...part, state: { time: span, ...state } };
  return part['type'] === 'reasoning' ? { time: span, ...part } : part;
}

/**
 * Answers name the request they answer, and OpenCode shows them under it. Where that request is not in the view any
 * more, they are put under the newest one before them that is.
 */
export function relinkAnswers(view: readonly ViewMessage[]): readonly ViewMessage[] {
  const ids = new Set(view.map((item) => (item.type === 'original' ? idIn(item.message) : undefined)));
  let request: string | undefined;
  return view.map((item) => {
    if (item.type !== 'original') return item;
    const message = objectOf(item.message);
    const info = objectOf(message['info']);
    if (info['role'] === 'user') request = idIn(message) ?? request;
    const parent = textOf(info['parentID']);
    if (parent === undefined || ids.has(parent) || request === undefined) return item;
    return { ...item, message: { ...message, info: { ...info, parentID: request } }, isEdited: true };
  });
}

function idIn(message: unknown): string | undefined {
  return textOf(objectOf(objectOf(message)['info'])['id']);
}

/** OpenCode's own: 12 hex digits of time and count, 14 of chance. Messages and parts are ordered by their ids. */
const shape = /^(msg_|prt_)([0-9a-f]{12})([0-9A-Za-z]{14})$/;
const idLength = 30;
/** In the order of their codes, so that texts sort as numbers do. */
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const countsPerMs = 0x1000;
const largestTime = 2 ** 48;

/** An id that sorts after another one and before those of any later time. Depends on its arguments only. */
export function idAfter(id: string, seed: string): string {
  const [, prefix, time, chance] = shape.exec(id) ?? [];
  if (prefix === undefined || time === undefined || chance === undefined) {
    // Of another shape: what it is a beginning of sorts after it.
    return (id + chanceOf(seed) + chanceOf(`${seed} `)).slice(0, Math.max(idLength, id.length + 12));
  }
  const step = 1 + Number.parseInt(derivedHex(seed).slice(0, 5), 16);
  const { sum, carry } = plus(chance, step);
  return prefix + timeText(Number.parseInt(time, 16) + carry) + sum;
}

/** An id that sorts before another one. */
export function idBefore(id: string, seed: string): string {
  const [, prefix, time] = shape.exec(id) ?? [];
  const start = prefix === undefined ? 'msg_0' : prefix + timeText(Number.parseInt(time ?? '0', 16) - 1);
  return (start + chanceOf(seed) + chanceOf(`${seed} `)).slice(0, idLength);
}

/** The id of a message of this time, behind all others of the same millisecond. */
export function idAt(timeMs: number, seed: string): string {
  const time = (Math.trunc(timeMs) * countsPerMs) % largestTime;
  return `msg_${timeText(time + countsPerMs - 1)}${chanceOf(seed)}`;
}

/** The id of a part of the message with that id, in the order of the parts. */
export function partId(messageId: string, index: number, seed: string): string {
  const time = shape.exec(messageId)?.[2] ?? derivedHex(messageId).slice(0, 12);
  return `prt_${time}${chanceOf(seed).slice(0, 10)}${String(index).padStart(4, '0')}`;
}

function timeText(time: number): string {
  const inRange = Math.min(Math.max(time, 0), largestTime - 1);
  return inRange.toString(16).padStart(12, '0');
}

/** 14 digits that depend on the text only. */
function chanceOf(seed: string): string {
  const hex = derivedHex(seed);
  return Array.from({ length: 14 }, (_, at) => {
    return digits.charAt(Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16) % digits.length);
  }).join('');
}

/** A number of 14 digits of base 62 and another one; what does not fit is carried over. */
function plus(number: string, step: number): { readonly sum: string; readonly carry: number } {
  let carry = step;
  let sum = '';
  for (let at = number.length - 1; at >= 0; at -= 1) {
    const value = digits.indexOf(number.charAt(at)) + carry;
    sum = digits.charAt(value % digits.length) + sum;
    carry = Math.floor(value / digits.length);
  }
  return { sum, carry };
}
