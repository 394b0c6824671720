import type { Estimator } from '@throughline/core';
import { corpusDice } from './estimator-corpus.ts';

interface AdversarialRow {
  readonly name: string;
  readonly exactTokens: number;
  /** Signed share of the heuristic. */
  readonly error: number;
  readonly heuristicMs: number;
  readonly bpeMs: number;
}

const size = 1_000_000;

/** One megabyte each of what tokenizers and heuristics fail on. */
function adversarialTexts(): readonly (readonly [string, string])[] {
  const dice = corpusDice(21);
  const random = (alphabet: string): string => {
    const characters = [...alphabet];
    const parts: string[] = [];
    for (let length = 0; length < size;) {
      const character = characters[Math.floor(dice() * characters.length)] ?? '';
      parts.push(character);
      length += character.length;
    }
    return parts.join('');
  };
  const filled = (text: string): string => text.repeat(Math.ceil(size / text.length)).slice(0, size);
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  return [
    ['base64', random(`${letters}${letters.toUpperCase()}0123456789+/`)],
    ['hex', random('0123456789abcdef')],
    ['random lower case', random(letters)],
    ['random words', random(`${letters}${letters}${' '.repeat(9)}`)],
    ['random marks', random('!@#$%^&*()-_=+[]{};:,.<>/?')],
    [
      'Chinese characters',
      random(Array.from({ length: 500 }, (_, index) => String.fromCharCode(0x4e00 + index * 3)).join('')),
    ],
    ['Chinese prose', filled('会话变长之后，旧的工具输出会被清除，较早的回合会被压缩成摘要。')],
    ['Japanese prose', filled('会話が長くなると、古いツールの出力を消し、前のターンを要約にまとめます。')],
    [
      'minified code',
      filled('function a(b,c){return b.d?c(b.e,{f:!0,g:h.i[b.j]||0}):null}var k=a(l,m=>m.n(1e3));'),
    ],
    ['a million a', 'a'.repeat(size)],
    ['a million spaces', ' '.repeat(size)],
    ['a million line breaks', '\n'.repeat(size)],
    ['a million dashes', '-'.repeat(size)],
    ['a million 漢', '漢'.repeat(size)],
    ['half a million emoji', '😀'.repeat(size / 2)],
    ['a million zeros', '0'.repeat(size)],
    ['control characters', random('\u0000\u0001\u0007\u001b')],
    ['lone surrogates', random('\ud800\udc00x')],
  ];
}

export function measureAdversarial([heuristic, bpe]: readonly [Estimator, Estimator]): AdversarialRow[] {
  return adversarialTexts().map(([name, text]) => {
    const [estimate, heuristicMs] = timed(heuristic, text);
    const [exactTokens, bpeMs] = timed(bpe, text);
    return { name, exactTokens, error: estimate / exactTokens - 1, heuristicMs, bpeMs };
  });
}

function timed(estimator: Estimator, text: string): readonly [number, number] {
  estimator.count(text.slice(0, 1_000));
  const startedMs = performance.now();
  const tokens = estimator.count(text);
  return [tokens, performance.now() - startedMs];
}
