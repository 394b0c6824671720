import { describe, expect, it } from 'vitest';
import { keyLabels, shortcutOf, shortcuts } from '../src/views/commands/shortcuts.ts';
import type { PressedKey, PressedWhere } from '../src/views/commands/shortcuts.ts';

const at: PressedWhere = { isMac: false, isWriting: false, allowsSingleKeys: true };
const press = (key: string, held: Partial<PressedKey> = {}): PressedKey => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
});

describe('keys that work everywhere', () => {
  it('are Command on a Mac and Control elsewhere, and never both', () => {
    expect(shortcutOf(press('k', { ctrlKey: true }), at)).toBe('palette');
    expect(shortcutOf(press('k', { metaKey: true }), at)).toBeUndefined();
    expect(shortcutOf(press('k', { metaKey: true }), { ...at, isMac: true })).toBe('palette');
    expect(shortcutOf(press('k', { ctrlKey: true }), { ...at, isMac: true })).toBeUndefined();
    expect(shortcutOf(press('k', { ctrlKey: true, altKey: true }), at)).toBeUndefined();
  });

  it('mind Shift, but for characters that need it on some keyboards', () => {
    expect(shortcutOf(press('O', { ctrlKey: true, shiftKey: true }), at)).toBe('new-session');
    expect(shortcutOf(press('o', { ctrlKey: true }), at)).toBeUndefined();
    expect(shortcutOf(press('Escape', { shiftKey: true }), at)).toBe('to-input');
    expect(shortcutOf(press('Escape'), at)).toBeUndefined();
    expect(shortcutOf(press('?', { shiftKey: true }), at)).toBe('shortcuts');
    expect(shortcutOf(press('/', { ctrlKey: true, shiftKey: true }), at)).toBe('shortcuts');
  });

  it('are letters where somebody writes, and where single keys are turned off', () => {
    expect(shortcutOf(press('?'), { ...at, isWriting: true })).toBeUndefined();
    expect(shortcutOf(press('?'), { ...at, allowsSingleKeys: false })).toBeUndefined();
    expect(
      shortcutOf(press('/', { ctrlKey: true }), { ...at, isWriting: true, allowsSingleKeys: false }),
    ).toBe('shortcuts');
  });

  it('are each in the table once', () => {
    const everywhere = shortcuts.filter(({ where }) => where === 'Everywhere').flatMap(({ keys }) => keys);
    expect(new Set(everywhere).size).toBe(everywhere.length);
  });

  it('are written as on the keyboard', () => {
    expect(keyLabels('mod+shift+o', false)).toEqual(['Ctrl', 'Shift', 'O']);
    expect(keyLabels('mod+k', true)).toEqual(['⌘', 'K']);
  });
});
