import { describe, expect, it } from 'vitest';
import { entry, result, text } from '../../test/summary/builders.ts';
import { pastedIn } from './pasted.ts';
import { injectedKindOf, isInjected, isInstructions, isRequest, isSpoken, ownWords } from './own-words.ts';
import type { Part } from './entry.ts';

const aside = text('<system-reminder>Be brief.</system-reminder>');
const image: Part = { type: 'media', at: [], mediaType: 'image/png', sizeBytes: 9 };
const rules = text('<user_instructions>Use tabs.</user_instructions>');

describe('ownWords', () => {
  it('leaves out what a tool put beside the words', () => {
    expect(ownWords(entry(1, 'user', [rules, text('Fix it'), aside, text('and test')]))).toBe(
      'Fix it\nand test',
    );
    expect(ownWords(entry(1, 'user', [aside]))).toBe('');
  });
});

it('has a command as it was typed', () => {
  const typed = (said: string): string => ownWords(entry(1, 'user', [text(said)]));
  const named =
    '<command-message>review is running…</command-message>\n <command-name>/review</command-name>';
  expect(typed(named)).toBe('/review');
  expect(typed(`${named}\n<command-args>12 slowly</command-args>`)).toBe('/review 12 slowly');
  expect(typed(`${named}\n<command-args><b>12</b></command-args>\nand more`)).toBe(
    '/review <b>12</b>\nand more',
  );
  expect(typed('<command-name>/model</command-name>\n<command-args>opus</command-args>')).toBe('/model opus');
  const others = [
    'What is <command-name>?',
    '<command-args>12</command-args>',
    '<command-name>/a',
    `x ${named}`,
  ];
  expect(others.map(typed)).toEqual(others);
});

it('knows what OpenHands and Copilot put beside the words', () => {
  const beside = [
    '<EXTRA_INFO>\nYou have a GITHUB_TOKEN.\n</EXTRA_INFO>',
    '<REPOSITORY_INSTRUCTIONS>Run make.</REPOSITORY_INSTRUCTIONS>',
    '<current_datetime>2026-01-02</current_datetime>',
  ];
  expect(ownWords(entry(1, 'user', [...beside.map(text), text('Fix it')]))).toBe('Fix it');
});

describe('what a client has pasted into the words', () => {
  const body = 'let a = 1;\n'.repeat(60);
  const own = (said: string): string => ownWords(entry(1, 'user', [text(said)]));

  it.each([
    [`Look at 'src/a.ts'.\n<file_content path="src/a.ts">`, '</file_content>'],
    ['Review this.\n<file name="/app/a.ts">', '</file>\nand test'],
    ['<attached_files>', '</attached_files>\nFix it'],
    ['Fix it\n--- Content from referenced files ---', '--- End of content ---'],
  ])('is none of them: %j', (before, after) => {
    const pasted = `\n${body}\n`;
    const said = before + pasted + after;
    const [found] = pastedIn(said);
    expect(said.slice(found?.start, found?.end).trim()).toBe(body.trim());
    expect(
      own(said)
        .replace(/\[… \d+ characters\]/, pasted)
        .replaceAll(/\n+/g, '\n'),
    ).toBe(said.replaceAll(/\n+/g, '\n'));
    expect(own(said)).not.toContain('let a');
  });

  it('stays where it is short, or where nothing ends it', () => {
    for (const said of ['<file name="a">let a;</file>', `<file name="a">${body}`, `<file>${body}</file>`])
      expect(own(said)).toBe(said);
  });

  it('is nothing that somebody says about such tags, and no word in front of one that is closed', () => {
    const rules = 'This must be so in every case. '.repeat(20);
    const told = `Write each as <file path="NAME">. ${rules}Close it with </file>. Begin.`;
    expect(own(told)).toBe(told);
    expect(pastedIn(told)).toEqual([]);
    const halfOpen = `<file name="a">\n${rules}\n<file name="b">\n${body}</file>\nGo.`;
    expect(own(halfOpen)).toBe(halfOpen.replace(`\n${body}`, `[… ${body.length + 1} characters]`));
  });

  it('is what the user says, where no word stands beside it', () => {
    for (const said of [`<file name="a">\n${body}</file>\n`, `<attached_files>\n${body}</attached_files>`]) {
      expect(own(said)).toBe(said);
      expect(own(`${said}\nFix it`)).not.toContain('let a');
    }
    const parts = [text(`<file name="a">\n${body}</file>`), text('Fix it')];
    expect(ownWords(entry(1, 'user', parts))).not.toContain('let a');
  });

  it('is a listing between fences, which stays among the words', () => {
    const listing = Array.from({ length: 50 }, (_, at) => `package-${at} 1.0`).join('\n');
    const said = `It fails:\n\`\`\`\n${listing}\n\`\`\`\nFix it.\n\`\`\`ts\nlet a;\n\`\`\``;
    expect(pastedIn(said).map(({ type, start, end }) => [type, said.slice(start, end).trim()])).toEqual([
      ['listing', listing],
    ]);
    expect(own(said)).toBe(said);
  });

  it('is what the editor of Codex writes in front', () => {
    const said =
      '# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nFix it\n';
    expect(own(said)).toBe('Fix it\n');
    expect(own('# Files mentioned by the user:\n- a.ts')).toContain('a.ts');
  });

  it('takes linear time', () => {
    for (const piece of [
      '<file name="a">',
      '<file name="a">\n',
      '--- Content from referenced files ---\n',
      '```\n',
      '<attached_files>',
    ]) {
      const startMs = performance.now();
      pastedIn(piece.repeat(20_000));
      pastedIn(`${piece.repeat(20_000)}</file>`);
      expect(performance.now() - startMs).toBeLessThan(1_000);
    }
  });
});

describe('a text of which the format says that a tool wrote it', () => {
  const summary: Part = { type: 'text', at: [], text: '## Goal\nFix it', isInjected: true };

  it('is none of the words of the user, whatever it says', () => {
    expect(ownWords(entry(1, 'user', [summary, text('and test')]))).toBe('and test');
    expect(isInjected(entry(1, 'user', [summary]))).toBe(true);
  });

  it('is a note where the format says so', () => {
    const note: Part = { type: 'text', at: [], text: 'A file was written.', isInjected: 'aside' };
    expect(ownWords(entry(1, 'user', [note, text('and test')]))).toBe('and test');
    expect(injectedKindOf(entry(1, 'user', [note]))).toBe('aside');
    expect(injectedKindOf(entry(1, 'user', [note, summary]))).toBe('instructions');
  });

  it('is kept as instructions are', () => {
    expect(injectedKindOf(entry(1, 'user', [summary]))).toBe('instructions');
    expect(isInstructions(entry(1, 'user', [summary]))).toBe(true);
  });
});

describe('isRequest, isSpoken and isInjected', () => {
  it.each([
    ['words', [text('Fix it')], [true, true, false]],
    ['words beside an aside', [aside, text('Fix it')], [true, true, false]],
    ['an image', [image], [true, true, false]],
    ['an aside', [aside], [false, true, true]],
    ['an aside with results', [result('out'), aside], [false, true, false]],
    ['results', [result('out')], [false, false, false]],
    ['blanks', [text('  ')], [false, false, false]],
    ['nothing', [], [false, false, false]],
  ])('tell %s', (_name, parts, expected) => {
    const message = entry(1, 'user', parts);
    expect([isRequest(message), isSpoken(message), isInjected(message)]).toEqual(expected);
  });

  it('are about messages of the user alone', () => {
    const message = entry(1, 'assistant', [text('Fixed')]);
    expect([isRequest(message), isSpoken(message), isInjected(message)]).toEqual([false, false, false]);
  });
});
