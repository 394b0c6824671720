import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from '@throughline/testkit';
import { onTestFinished } from 'vitest';
import type { Cli } from '../src/composition/cli.ts';

/** A host that keeps what is written to it. Asked for a model it throws, unless the test hands one in. */
export function captureCli(
  overrides: Partial<Cli> = {},
): Cli & { readonly stdout: () => string; readonly stderr: () => string } {
  let out = '';
  let err = '';
  return {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    columns: 80,
    hasColor: false,
    showsProgress: false,
    env: {},
    watchInterrupts: () => new AbortController().signal,
    watchStops: () => new AbortController().signal,
    readInput: () => {
      throw new Error('Nobody expected standard input to be read.');
    },
    openPipes: () => {
      throw new Error('Nobody expected a protocol to be spoken.');
    },
    compose: () => Promise.reject(new Error('Nobody expected a driver or a store to be made.')),
    workingFolder: '/nowhere',
    terminal: undefined,
    now: () => Date.UTC(2026, 2, 2),
    ...overrides,
    stdout: () => out,
    stderr: () => err,
  };
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(memoryFolder(), 'throughline-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeInto(folder: string, name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

export interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly [key: string]: unknown;
}

/** An OpenAI chat session: a task, then steps of a call and its result of about `wordsPerResult` words. */
export function chatSession(steps: number, wordsPerResult = 200): ChatMessage[] {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'You are a coding agent.' },
    { role: 'user', content: 'Find out why src/parser/tokenize.ts drops the last token, and fix it.' },
  ];
  for (let step = 0; step < steps; step += 1) {
    const path = `src/parser/part-${step % 7}.ts`;
    messages.push(
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: `call_${step}`,
            type: 'function',
            function: { name: 'read_file', arguments: JSON.stringify({ path }) },
          },
        ],
      },
      {
        role: 'tool',
        tool_call_id: `call_${step}`,
        content: `// ${path}\n${Array.from({ length: wordsPerResult }, (_, word) => `token${step}_${word}`).join(' ')}`,
      },
    );
  }
  return [
    ...messages,
    { role: 'assistant', content: 'The loop ends one token early.' },
    { role: 'user', content: 'Good. Now add a test for it in test/tokenize.test.ts.' },
  ];
}

/** Columns of the widest line, full-width characters counted twice. */
export function widestLine(text: string): number {
  const columnsOf = (line: string): number =>
    [...line].reduce((sum, character) => {
      if (/\p{M}/u.test(character)) return sum;
      return (
        sum +
        (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
          character,
        )
          ? 2
          : 1)
      );
    }, 0);
  return Math.max(...text.split('\n').map(columnsOf));
}
