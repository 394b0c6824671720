import { describe, expect, it } from 'vitest';
import { buildClassCodes, characterClasses } from './character-classes.ts';

describe('buildClassCodes', () => {
  const { codeOfUnit, codeOfClass } = buildClassCodes();
  const nameOf = (character: string): string | undefined =>
    characterClasses[codeOfClass.indexOf(codeOfUnit[character.charCodeAt(0)] ?? -1)]?.name;

  it('gives every class its own code, in the range of its group', () => {
    expect(new Set(codeOfClass).size).toBe(characterClasses.length);
    for (const [index, { group }] of characterClasses.entries()) {
      expect((codeOfClass[index] ?? 0) >> 3).toBe(group);
    }
  });

  it('knows every printable ASCII character', () => {
    for (let code = 32; code < 127; code++) {
      expect([String.fromCharCode(code), nameOf(String.fromCharCode(code))]).not.toContain('other');
    }
  });

  it.each([
    ['漢', 'han'],
    ['の', 'hiragana'],
    ['ル', 'katakana'],
    ['한', 'hangul'],
    ['ж', 'cyrillic-greek'],
    ['Ж', 'cyrillic-capital'],
    ['ا', 'arabic-hebrew'],
    ['ह', 'indic'],
    ['é', 'accented'],
    ['─', 'box'],
    ['。', 'cjk-mark'],
    ['😀', 'pair-first'],
    ['\u0000', 'other'],
  ])('puts %s into %s', (character, name) => {
    expect(nameOf(character)).toBe(name);
  });
});
