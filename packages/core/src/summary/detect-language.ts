/** Share of each script among the letters of a text; all 0 when there are none. */
export interface ScriptShares {
  readonly latin: number;
  readonly han: number;
  readonly kana: number;
  readonly hangul: number;
  readonly cyrillic: number;
  readonly other: number;
}

type Script = keyof ScriptShares;

// First code, last code, script; whatever is a letter and in no row is `other`.
const ranges: readonly (readonly [number, number, Script])[] = [
  [0x41, 0x5a, 'latin'],
  [0x61, 0x7a, 'latin'],
  [0xc0, 0x24f, 'latin'],
  [0x400, 0x52f, 'cyrillic'],
  [0x3040, 0x30ff, 'kana'],
  [0x3400, 0x9fff, 'han'],
  [0xac00, 0xd7a3, 'hangul'],
  [0x370, 0x3ff, 'other'],
  [0x530, 0x1fff, 'other'],
];

const scripts: readonly (Script | undefined)[] = [undefined, ...ranges.map(([, , script]) => script)];
/** Place in `scripts` of what each UTF-16 unit is written in. */
const scriptOfUnit = new Uint8Array(65_536);
ranges.forEach(([first, last], index) => scriptOfUnit.fill(index + 1, first, last + 1));

const maxChars = 40_000;

/** Which scripts a text is written in. Reads its first 40 000 characters; code and identifiers count as Latin. */
export function scriptShares(text: string): ScriptShares {
  const counts = { latin: 0, han: 0, kana: 0, hangul: 0, cyrillic: 0, other: 0 };
  const length = Math.min(text.length, maxChars);
  let letters = 0;
  for (let index = 0; index < length; index++) {
    const script = scripts[scriptOfUnit[text.charCodeAt(index)] ?? 0];
    if (script === undefined) continue;
    counts[script]++;
    letters++;
  }
  if (letters === 0) return counts;
  const share = (script: Script): number => counts[script] / letters;
  return {
    latin: share('latin'),
    han: share('han'),
    kana: share('kana'),
    hangul: share('hangul'),
    cyrillic: share('cyrillic'),
    other: share('other'),
  };
}

/**
 * The language of a text where its script tells it: `ja`, `zh`, `ko`, `ru`. `undefined` otherwise. One character in
 * five is enough: paths and code in such a text are Latin.
 */
export function detectLanguage(text: string): string | undefined {
  const { kana, han, hangul, cyrillic } = scriptShares(text);
  if (kana > 0.03 && kana + han > 0.15) return 'ja';
  if (hangul > 0.15) return 'ko';
  if (han > 0.12) return 'zh';
  return cyrillic > 0.25 ? 'ru' : undefined;
}
