import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyDecoder } from './keyboard.ts';
import type { TerminalInput } from './keys.ts';

/** Inputs in short: texts and pastes as they are, keys by their names. */
function told(...inputs: readonly TerminalInput[]): readonly string[] {
  return inputs.map((input) => {
    if (input.type === 'text') return input.text;
    if (input.type === 'paste') return `paste:${input.text}`;
    const { name, character, hasCtrl, hasAlt, hasShift } = input.key;
    const held = `${hasCtrl ? 'ctrl-' : ''}${hasAlt ? 'alt-' : ''}${hasShift ? 'shift-' : ''}`;
    return `<${held}${name === 'character' ? character : name}>`;
  });
}

/** All that pieces come to, with a pause at the end. */
function read(...pieces: readonly string[]): readonly string[] {
  const decoder = new KeyDecoder();
  const inputs = pieces.flatMap((piece) => decoder.push(piece).inputs);
  return told(...inputs, ...decoder.flush().inputs);
}

const esc = '\u001b';

describe('keys that come together', () => {
  it.each([
    ['hello\u0015abc', ['hello', '<ctrl-u>', 'abc']],
    ['one two\u0017three\u0001x\u0005y', ['one two', '<ctrl-w>', 'three', '<ctrl-a>', 'x', '<ctrl-e>', 'y']],
    ['/comp\t', ['/comp', '<tab>']],
    ['hello\rworld\r', ['hello', '<enter>', 'world', '<enter>']],
    ['hello\r\nabc', ['hello', '<enter>', 'abc']],
    ['ab\u007f\bc\u0003', ['ab', '<backspace>', '<backspace>', 'c', '<ctrl-c>']],
    [`ab${esc}[D${esc}[Cc`, ['ab', '<left>', '<right>', 'c']],
    [
      `${esc}b${esc}f${esc}d${esc}\u007f${esc}\r`,
      ['<alt-b>', '<alt-f>', '<alt-d>', '<alt-backspace>', '<alt-enter>'],
    ],
    ['\u001a\u001c\u001f\u0000', ['<ctrl-z>', '<ctrl-\\>', '<ctrl-_>', '<ctrl-@>']],
  ])('are told apart: %j', (piece, expected) => {
    expect(read(piece)).toEqual(expected);
  });

  it('are the same however they are cut', () => {
    const all = `a日本👩‍💻${esc}[1;5Cb${esc}OH${esc}[200~x\ry${esc}[201~c\u0015d${esc}${esc}[A\r${esc}[3~${esc}]11;rgb:0/0/0\u0007e`;
    const whole = read(all).join('');
    fc.assert(
      fc.property(fc.array(fc.nat(all.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.toSorted((one, other) => one - other), all.length];
        const pieces = places.slice(1).map((end, index) => all.slice(places[index], end));
        expect(read(...pieces.filter((piece) => piece !== '')).join('')).toBe(whole);
      }),
    );
  });
});

describe('keys of different terminals', () => {
  it.each([
    ['<up>', ['[A', 'OA']],
    ['<home>', ['[H', 'OH', '[1~', '[7~']],
    ['<end>', ['[F', 'OF', '[4~', '[8~']],
    ['<delete>', ['[3~']],
    ['<ctrl-right>', ['[1;5C', '[5C', 'Oc', 'O5C']],
    ['<alt-left>', ['[1;3D', `${esc}[D`, '[1;9D']],
    ['<shift-left>', ['[1;2D', '[d']],
    ['<shift-tab>', ['[Z']],
    ['<enter>', ['OM', '[13u', '[57414u']],
    ['<shift-enter>', ['[13;2u', '[27;2;13~']],
    ['<ctrl-c>', ['[99;5u', '[27;5;99~']],
    ['<escape>', ['[27u']],
    ['<ctrl-delete>', ['[3;5~', '[3^']],
    ['<page-up>', ['[5~']],
  ])('are one key: %s', (key, sequences) => {
    for (const sequence of sequences) expect([sequence, ...read(esc + sequence)]).toEqual([sequence, key]);
  });

  it('that nobody has a use for are never text', () => {
    const unknown = [
      'OP',
      '[[A',
      '[15~',
      '[I',
      '[O',
      '[<0;12;3M',
      '[12;40R',
      '[?62;c',
      '[?2026;2$y',
      '[99;5:3u',
      'P>|x(1)\u001b\\',
    ];
    for (const sequence of unknown)
      expect([sequence, ...read(`${esc}${sequence}a`)]).toEqual([sequence, '<unknown>', 'a']);
    expect(read(`${esc}[12\rab`)).toEqual(['<unknown>', '<enter>', 'ab']);
  });
});

describe('Esc', () => {
  it('is a key when nothing follows it', () => {
    const decoder = new KeyDecoder();
    expect(decoder.push(esc)).toEqual({ inputs: [], waitsFor: 'key' });
    expect(told(...decoder.flush().inputs)).toEqual(['<escape>']);
    expect(told(...decoder.push('[A').inputs)).toEqual(['[A']);
  });

  it('is one more key when it is pressed twice', () => {
    expect(read(esc + esc)).toEqual(['<escape>', '<escape>']);
  });

  it('with a letter that begins sequences is Alt', () => {
    expect(read(`${esc}[`)).toEqual(['<alt-[>']);
    expect(read(`${esc}O`)).toEqual(['<alt-shift-o>']);
    expect(read(`${esc}]`)).toEqual(['<alt-]>']);
    expect(read(`${esc}Phello`)).toEqual(['<alt-shift-p>', 'hello']);
  });
});

describe('a paste', () => {
  const start = `${esc}[200~`;
  const end = `${esc}[201~`;

  it('is one text, whatever is in it', () => {
    expect(read(`a${start}one\r\n\ttwo\u0015${esc}[A${end}b`)).toEqual([
      'a',
      `paste:one\r\n\ttwo\u0015${esc}[A`,
      'b',
    ]);
  });

  it('waits for its end, and holds nothing back that follows', () => {
    const decoder = new KeyDecoder();
    expect(decoder.push(`${start}one`)).toEqual({ inputs: [], waitsFor: 'paste' });
    expect(decoder.flush()).toEqual({ inputs: [], waitsFor: 'paste' });
    expect(told(...decoder.push(`two${end}\r`).inputs)).toEqual(['paste:onetwo', '<enter>']);
  });

  it('whose end is lost ends with Ctrl-C', () => {
    expect(read(`${start}one`, '\u0003')).toEqual(['paste:one', '<ctrl-c>']);
  });

  it('of a megabyte in small pieces takes no time to speak of', () => {
    const text = 'line of text\r'.repeat(80_000);
    const pieces = (start + text + end).match(/[^]{1,1000}/g) ?? [];
    expect(read(...pieces)).toEqual([`paste:${text}`]);
  });

  it('that the terminal does not mark is known by its length, in one piece or in several', () => {
    const text = 'a line of text\r'.repeat(40);
    expect(read(text)).toEqual([`paste:${text.slice(0, -1)}`, '<enter>']);
    expect(read(text.slice(0, 300), text.slice(300, 450), `${text.slice(450)}end`)).toEqual([
      `paste:${text}end`,
    ]);
    expect(read(`${text}x\u0015y`)).toEqual([`paste:${text}x`, '<ctrl-u>', 'y']);
    expect(read('x'.repeat(5_000))).toEqual([`paste:${'x'.repeat(5_000)}`]);
  });
});
