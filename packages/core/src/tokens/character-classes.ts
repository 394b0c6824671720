/** Characters that tokenizers treat alike. */
interface CharacterClass {
  readonly name: string;
  /** The group (0 to 7) that stands for the class where three characters in a row are looked at. */
  readonly group: number;
  /** Single characters, or inclusive ranges of UTF-16 units. */
  readonly members: string | readonly (readonly [number, number])[];
}

/** Groups: 0 symbols, 1 white space, 2 digits, 3 lower case, 4 upper case, 5 and 6 marks, 7 other scripts. */
export const characterClasses: readonly CharacterClass[] = [
  { name: 'other', group: 0, members: '' },
  { name: 'latin-sign', group: 0, members: [[0xa0, 0xbf]] },
  { name: 'quote-dash', group: 0, members: [[0x2000, 0x206f]] },
  {
    name: 'symbol',
    group: 0,
    members: [
      [0x2070, 0x24ff],
      [0x25a0, 0x2bff],
    ],
  },
  { name: 'box', group: 0, members: [[0x2500, 0x259f]] },
  { name: 'pair-first', group: 0, members: [[0xd800, 0xdbff]] },
  { name: 'pair-second', group: 0, members: [[0xdc00, 0xdfff]] },
  {
    name: 'cjk-mark',
    group: 0,
    members: [
      [0x3000, 0x303f],
      [0xff00, 0xff65],
      [0xffe0, 0xffef],
    ],
  },
  { name: 'space', group: 1, members: ' ' },
  { name: 'tab', group: 1, members: '\t' },
  { name: 'newline', group: 1, members: '\n\r' },
  { name: 'digit', group: 2, members: '0123456789' },
  { name: 'vowel', group: 3, members: 'aeiou' },
  { name: 'common', group: 3, members: 'nrtslcdmp' },
  { name: 'less', group: 3, members: 'bfghkvwy' },
  { name: 'rare', group: 3, members: 'jqxz' },
  {
    name: 'accented',
    group: 3,
    members: [
      [0xc0, 0x24f],
      [0x300, 0x36f],
      [0x1e00, 0x1eff],
    ],
  },
  { name: 'capital', group: 4, members: 'AEIOUNRTSLCDMP' },
  { name: 'rare-capital', group: 4, members: 'BFGHKVWYJQXZ' },
  {
    name: 'cyrillic-capital',
    group: 4,
    members: [
      [0x400, 0x42f],
      [0x386, 0x3ab],
    ],
  },
  { name: 'underscore', group: 5, members: '_' },
  { name: 'hyphen', group: 5, members: '-' },
  { name: 'dot', group: 5, members: '.' },
  { name: 'slash', group: 5, members: '/' },
  { name: 'backslash', group: 5, members: '\\' },
  { name: 'comma', group: 5, members: ',' },
  { name: 'colon', group: 5, members: ':' },
  { name: 'semicolon', group: 5, members: ';' },
  { name: 'double-quote', group: 6, members: '"' },
  { name: 'quote', group: 6, members: "'`" },
  { name: 'open', group: 6, members: '([{<' },
  { name: 'close', group: 6, members: ')]}>' },
  { name: 'operator', group: 6, members: '=+*|~&' },
  { name: 'sign', group: 6, members: '!?#$%@^' },
  {
    name: 'cyrillic-greek',
    group: 7,
    members: [
      [0x370, 0x385],
      [0x3ac, 0x3ff],
      [0x430, 0x52f],
    ],
  },
  {
    name: 'arabic-hebrew',
    group: 7,
    members: [
      [0x590, 0x8ff],
      [0xfb1d, 0xfdff],
      [0xfe70, 0xfeff],
    ],
  },
  { name: 'indic', group: 7, members: [[0x900, 0xdff]] },
  {
    name: 'thai-and-more',
    group: 7,
    members: [
      [0xe00, 0x10ff],
      [0x1200, 0x1dff],
    ],
  },
  { name: 'hiragana', group: 7, members: [[0x3040, 0x309f]] },
  {
    name: 'katakana',
    group: 7,
    members: [
      [0x30a0, 0x30ff],
      [0xff66, 0xff9f],
    ],
  },
  {
    name: 'han',
    group: 7,
    members: [
      [0x3400, 0x9fff],
      [0xf900, 0xfaff],
    ],
  },
  {
    name: 'hangul',
    group: 7,
    members: [
      [0xac00, 0xd7af],
      [0x1100, 0x11ff],
      [0x3130, 0x318f],
    ],
  },
];

/**
 * Code of each UTF-16 unit's class: `group × 8 + number inside the group`. Units of no class get 0, the code of
 * `other`. Classes of one name keep their code as long as the list above keeps its order.
 */
export function buildClassCodes(): {
  readonly codeOfUnit: Uint8Array;
  readonly codeOfClass: readonly number[];
} {
  const codeOfUnit = new Uint8Array(65_536);
  const usedInGroup = new Uint8Array(8);
  const codeOfClass = characterClasses.map(({ group, members }) => {
    const code = group * 8 + (usedInGroup[group] ?? 0);
    usedInGroup[group] = (usedInGroup[group] ?? 0) + 1;
    if (typeof members === 'string') {
      for (let index = 0; index < members.length; index++) codeOfUnit[members.charCodeAt(index)] = code;
    } else {
      for (const [first, last] of members) codeOfUnit.fill(code, first, last + 1);
    }
    return code;
  });
  return { codeOfUnit, codeOfClass };
}
