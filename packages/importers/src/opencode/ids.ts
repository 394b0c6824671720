import { derivedHex } from '../write/derived-id.ts';

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
