import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyEntries, assistant, call, entry, result, text, user } from '../../test/summary/builders.ts';
import { fullCaps, historyText } from './history-text.ts';

describe('historyText', () => {
  it('shows messages, calls, results and media between tags', () => {
    const entries = [
      user(1, 'Hi'),
      entry(2, 'assistant', [text('Reading.'), call('read', { path: 'a.ts', lines: [1, 2] })]),
      entry(3, 'tool', [
        result('x'.repeat(2_000)),
        { type: 'media', mediaType: 'image/png', sizeBytes: 3, at: [] },
      ]),
    ];
    const shown = historyText(entries, fullCaps);
    expect(shown).toContain('<message id="m1" role="user">\nHi\n</message>');
    expect(shown).toContain('Reading.\n[call read] path: a.ts, lines: [1,2]');
    expect(shown).toContain('[attached image/png]');
    expect(shown.length).toBeLessThan(900);
  });

  it('leaves out reasoning and assistant messages without content', () => {
    const entries = [
      entry(1, 'assistant', [{ type: 'reasoning', text: 'secret plan', opaqueLength: 0, at: [] }]),
      assistant(2, ''),
      assistant(3, 'API Error: 529 overloaded'),
      assistant(4, 'Done'),
    ];
    expect(historyText(entries, fullCaps)).toBe('<message id="m4" role="assistant">\nDone\n</message>');
  });

  it('cannot be left by what it quotes', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const shown = historyText(entries, { ...fullCaps, unitChars: 1_000_000 });
        const opened = shown.match(/<message /g)?.length ?? 0;
        expect(shown).not.toMatch(/<\/?\s*history/i);
        expect(shown.match(/^<message id="m\d+" role="\w+">$/gm) ?? []).toHaveLength(opened);
        expect(shown.match(/<\/message>/g) ?? []).toHaveLength(opened);
        expect(shown.length).toBeLessThan(entries.length * 2_100 + 1);
        expect(shown.isWellFormed()).toBe(true);
      }),
    );
  });
});
