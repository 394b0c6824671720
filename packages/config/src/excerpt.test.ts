import { describe, expect, it } from 'vitest';
import { excerptOf } from './excerpt.ts';
import { parseConfig } from './parse-config.ts';

function excerpts(text: string): string[] {
  const result = parseConfig({ file: { path: '/a.yaml', text }, environment: {}, workingFolder: '/' });
  const faults = result.type === 'faults' ? result.faults : [];
  return faults.flatMap((fault) => {
    const excerpt = excerptOf(text, fault);
    if (!excerpt) return [];
    return [excerpt.text, ' '.repeat(excerpt.indent) + '^'.repeat(excerpt.length)];
  });
}

describe('excerptOf', () => {
  it('points at the wrong value, or at the key that is not known', () => {
    expect(excerpts('agent:\r\n  maxSteps: none # at all\r\n  stepz: 1')).toEqual([
      '  maxSteps: none # at all',
      '            ^^^^',
      '  stepz: 1',
      '  ^^^^^',
    ]);
  });

  it('covers up what may be a secret', () => {
    const lines = [
      'model: { provider: opnai, name: m, apiKey: hunter2 }',
      'summarizer: sk-abcdef',
      'mcpServers: { a: { url: ftp://me:hunter2@host, env: { X: hunter2 } } }',
      'server: { password: hunter2, port: x }',
      'agent: { nothing: abcdefghij0123456789xyz }',
    ];
    const shown = excerpts(lines.join('\n')).join('\n');
    expect(shown).not.toMatch(/hunter2|sk-abcdef|0123456789/);
    expect(shown).toContain('model: { provider: opnai, name: m, apiKey: ••••••• •');
    expect(excerpts('mcpServers:\n  a:\n    env:\n      X: "hunter2" hunter2\n').join()).not.toContain(
      'hunter2',
    );
    expect(excerpts('mcpServers: { a: { command: x, headers: 3 } }').join()).not.toContain(': 3');
  });

  it('is nothing for a line that is too long to be shown', () => {
    expect(excerpts(`agent: { x: "${'y'.repeat(600)}" }`)).toEqual([]);
  });
});
