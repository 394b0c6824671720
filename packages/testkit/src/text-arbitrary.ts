import fc from 'fast-check';

/** How texts may be: `plain` is well-formed and not blank, `hostile` anything. */
export type TextKind = 'plain' | 'hostile';

const prose = fc
  .array(
    fc.constantFrom(
      'the',
      'file',
      'src/app/main.ts',
      'fails',
      'with',
      'ERR_42',
      'because',
      '日本語',
      'größe',
    ),
    {
      minLength: 1,
      maxLength: 30,
    },
  )
  .map((words) => words.join(' '));
const cjk = repeated(fc.constantFrom('文脈管理', '压缩历史', '한국어', 'データ'), 400);
const base64 = repeated(fc.constantFrom('iVBORw0KGgoAAAANSUhEUg', 'QUJDREVGR0hJSktMTU5PUA'), 400);
const run = repeated(fc.constantFrom('a', ' x', '=', '\n-', '🙂'), 5_000);
const json = fc.json({ maxDepth: 2 }).map((text) => `${text} `);
const giant = repeated(fc.constantFrom('ab', 'line of a log 0x1f\n', '圧縮', '{"k":1},'), 200_000, 10_000);
const surrogates = fc.constantFrom('cut \uD83D', '\uDE00 tail', 'a\uDC00b\uD800c');
const blank = fc.constantFrom('', ' ', '\n\t');
const odd = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => `x${text.toWellFormed()}`);

/** Texts as they occur in sessions: prose, code, CJK, base64, long runs, rarely up to 200 000 characters. */
export function textArbitrary(kind: TextKind): fc.Arbitrary<string> {
  const plain = [
    { arbitrary: prose, weight: 60 },
    { arbitrary: odd, weight: 8 },
    { arbitrary: json, weight: 8 },
    { arbitrary: cjk, weight: 8 },
    { arbitrary: base64, weight: 6 },
    { arbitrary: run, weight: 6 },
    { arbitrary: giant, weight: 1 },
  ];
  if (kind === 'plain') return fc.oneof({ withCrossShrink: true }, ...plain);
  return fc.oneof(...plain, { arbitrary: surrogates, weight: 6 }, { arbitrary: blank, weight: 8 });
}

/** A piece again and again, up to a length; shrinks to the shortest. */
function repeated(
  piece: fc.Arbitrary<string>,
  mostCharacters: number,
  leastCharacters = 1,
): fc.Arbitrary<string> {
  return fc
    .tuple(piece, fc.integer({ min: leastCharacters, max: mostCharacters }))
    .map(([text, length]) => text.repeat(Math.ceil(length / text.length)));
}
