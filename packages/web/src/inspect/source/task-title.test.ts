import { anthropicCodec } from '@throughline/core';
import { conversationTitle, taskTitle } from './task-title.ts';
import { describe, expect, it } from 'vitest';
import type { RecordedSession } from '@throughline/importers/text';

const titleOf = (...contents: readonly string[]): string | undefined =>
  taskTitle(contents.map((content, at) => anthropicCodec.decode({ role: 'user', content }, at)));

describe('the title of a conversation', () => {
  it('is what the user said first, in one line', () => {
    expect(titleOf('Mend the\n  parser.', 'Now the printer.')).toBe('Mend the parser.');
    expect(titleOf('<system-reminder>Be kind.</system-reminder>', 'Go.')).toBe('Go.');
    expect(titleOf()).toBeUndefined();
  });

  it('ends with … where it was cut, and never inside a character', () => {
    expect(titleOf('a'.repeat(80))).toBe('a'.repeat(80));
    expect(titleOf('a'.repeat(81))).toBe(`${'a'.repeat(80)}…`);
    expect(titleOf('😀'.repeat(81))).toBe(`${'😀'.repeat(80)}…`);
    expect(titleOf(`${'word '.repeat(16)}more`)).toBe(`${'word '.repeat(16).trim()}…`);
    expect(titleOf(`Read this:${' '.repeat(5_000)}now`)).toBe('Read this:…');
  });

  it('has a command of Claude Code as it was typed', () => {
    const command = (args: string) =>
      `<command-message>review is running…</command-message>\n<command-name>/review</command-name>${args}`;
    expect(titleOf(command('<command-args>12 slowly</command-args>'))).toBe('/review 12 slowly');
    expect(titleOf(command(''))).toBe('/review');
  });

  it('leaves out what clients write around and in front of it', () => {
    expect(titleOf('<current_datetime>2026-06-24T01:33</current_datetime>\n\n# Task: Think')).toBe(
      'Task: Think',
    );
    expect(titleOf('<uploaded_files>\n/work/a\n</uploaded_files>\nI have uploaded a.')).toBe(
      'I have uploaded a.',
    );
    expect(titleOf('<task>\nAdd <b> to the list</task>')).toBe('Add <b> to the list');
    expect(titleOf('Why is <div> not closed?')).toBe('Why is <div> not closed?');
  });
});

it('names a conversation of a file, and says which one its tool would not go on with', () => {
  const session = (parts: Partial<RecordedSession>): RecordedSession => ({
    id: 'one',
    kind: 'active',
    codec: anthropicCodec,
    messages: [{ role: 'user', content: 'Mend it.' }],
    origins: [],
    usage: [],
    holdsWholePrompt: false,
    ...parts,
  });
  expect(conversationTitle(session({}))).toBe('Mend it.');
  expect(conversationTitle(session({ kind: 'archived' }))).toBe('Mend it. (archived)');
  expect(conversationTitle(session({ title: 'Parser', kind: 'branch' }))).toBe('Parser (branch)');
  expect(conversationTitle(session({ messages: [] }))).toBe('one');
});
