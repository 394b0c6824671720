import { describe, expect, it } from 'vitest';
import { KnownBodies } from './known-bodies.ts';
import { splitJsonArray } from '@throughline/core/internal';
import type { KnownBody } from './known-bodies.ts';

const said = (turn: number): object => ({
  role: turn % 2 === 0 ? 'user' : 'assistant',
  content: `${turn}: ${'say "it" again, ü. '.repeat(40)}`,
});
const talk = (turns: number): object[] => Array.from({ length: turns }, (_, turn) => said(turn));
const bodyOf = (messages: readonly unknown[], more: object = {}): string =>
  JSON.stringify({ model: 'm', messages, stream: true, ...more });

const read = (bodies: KnownBodies, text: string, place = 'here'): KnownBody | undefined =>
  bodies.read(place, 'messages', text);

/** As it would be read by itself, and where its messages are told to stand they do stand. */
function expectExact(found: KnownBody | undefined, text: string): void {
  expect(found?.body).toEqual(JSON.parse(text));
  expect(found?.messages).toEqual((JSON.parse(text) as { messages: unknown }).messages);
  if (found?.spans) expect(found.spans).toEqual(splitJsonArray(text, ['messages'])?.items);
}

/** How many of its messages are the very objects of the other. */
function sharedWith(known: KnownBody | undefined, found: KnownBody | undefined): number {
  return found?.messages.filter((message, at) => message === known?.messages[at]).length ?? 0;
}

describe('KnownBodies', () => {
  it('reads only what a body has more than one before it', () => {
    const bodies = new KnownBodies();
    let before = read(bodies, bodyOf(talk(20)));
    for (const turns of [22, 22, 23, 40]) {
      const text = bodyOf(talk(turns), { temperature: turns });
      const found = read(bodies, text);
      expectExact(found, text);
      expect(sharedWith(before, found)).toBe(before?.messages.length);
      before = found;
    }
  });

  it('shares the beginning of one that was rewound, edited or marked in another way', () => {
    const edited = [...talk(12), { role: 'user', content: 'Something else.' }, ...talk(4)];
    const marked = talk(20).with(18, { ...said(18), cache_control: { type: 'ephemeral' } });
    for (const [messages, shared] of [
      [talk(15), 15],
      [edited, 12],
      [marked, 18],
    ] as const) {
      const bodies = new KnownBodies();
      const known = read(bodies, bodyOf(talk(20)));
      const found = read(bodies, bodyOf(messages));
      expectExact(found, bodyOf(messages));
      expect(sharedWith(known, found)).toBe(shared);
    }
  });

  it('finds the one that a body goes on from among several that begin alike', () => {
    const bodies = new KnownBodies();
    const known = [1, 2, 3].map((one) =>
      read(bodies, bodyOf([...talk(20), { role: 'user', content: `${one}` }])),
    );
    const text = bodyOf([...talk(20), { role: 'user', content: '1' }, said(21)]);
    expect(sharedWith(known[0], read(bodies, text))).toBe(21);
  });

  it('shares nothing between places', () => {
    const bodies = new KnownBodies();
    const known = read(bodies, bodyOf(talk(20)));
    expect(sharedWith(known, read(bodies, bodyOf(talk(20)), 'there'))).toBe(0);
  });

  it.each([
    ['a comma behind the last message', (text: string) => text.replace('],"stream"', ',],"stream"')],
    ['two commas', (text: string) => text.replace('],"stream"', ',,1],"stream"')],
    ['a list that does not end', (text: string) => text.slice(0, text.indexOf('],"stream"'))],
    ['something behind its end', (text: string) => `${text}x`],
  ])('reads no body with %s', (_, spoil) => {
    const bodies = new KnownBodies();
    const text = bodyOf(talk(20));
    expect(read(bodies, text)).toBeDefined();
    expect(read(bodies, spoil(text))).toBeUndefined();
  });

  it.each([
    [
      'another list of the name behind it',
      (text: string) => `${text.slice(0, -1)},"messages":[{"role":"user"}]}`,
    ],
    ['the name written in another way', (text: string) => `${text.slice(0, -1)},"mess\\u0061ges":[7]}`],
    ['no list behind it', (text: string) => text.replace('"stream":true', '"stream":[{"messages":[]}]')],
    [
      'white space everywhere',
      (text: string) => text.replaceAll(',{', ' \n,\t {').replace('],"', '\r\n ] ,"'),
    ],
  ])('reads a body with %s as it is alone', (_, change) => {
    const bodies = new KnownBodies();
    read(bodies, bodyOf(talk(20)));
    for (const text of [change(bodyOf(talk(20))), change(bodyOf(talk(22))), change(bodyOf(talk(24)))]) {
      expectExact(read(bodies, text), text);
    }
  });

  it('does not take the beginning of a number for the number', () => {
    const bodies = new KnownBodies();
    read(bodies, bodyOf([...talk(20), 1]));
    for (const last of [12, 1.5, 1]) {
      const text = bodyOf([...talk(20), last]);
      expectExact(read(bodies, text), text);
    }
  });

  it('forgets the oldest where it knows too much', () => {
    const bodies = new KnownBodies();
    const first = read(bodies, bodyOf([{ role: 'user', content: 'first' }, ...talk(20)]));
    for (let one = 0; one < 40; one += 1)
      read(bodies, bodyOf([{ role: 'user', content: `${one}` }, ...talk(20)]));
    const again = read(bodies, bodyOf([{ role: 'user', content: 'first' }, ...talk(20)]));
    expect(sharedWith(first, again)).toBe(0);
  });
});
