import { createInterface } from 'node:readline';
import { printable } from '../terminal/printable.ts';
import type { Cli } from '../cli.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { TrustQuestion } from './with-trust.ts';

export type TrustAnswer = 'trust' | 'without' | 'leave';

/** Shows what a file of the folder wants and asks the person at the terminal. */
export async function askTrust(question: TrustQuestion, cli: Cli, terminal: Terminal): Promise<TrustAnswer> {
  cli.err(`${trustText(question)}\n`);
  cli.err('y: it may, until the file changes · n: go on without these keys · q: leave\n');
  const lines = createInterface({
    input: terminal.input,
    output: terminal.output,
    prompt: 'Trust it? [y/n/q] ',
  });
  try {
    lines.prompt();
    for await (const line of lines) {
      const answer = answers.get(line.trim().toLowerCase());
      if (answer !== undefined) return answer;
      cli.err('Answer y, n or q, and Enter.\n');
    }
    return 'leave';
  } finally {
    lines.close();
  }
}

const answers: ReadonlyMap<string, TrustAnswer> = new Map([
  ['y', 'trust'],
  ['yes', 'trust'],
  ['n', 'without'],
  ['no', 'without'],
  ['q', 'leave'],
]);

/** What the file wants, a line per key. */
function trustText({ file, wants, hasChanged }: TrustQuestion): string {
  const changed = hasChanged ? ' It has changed since you trusted it.' : '';
  const rows = wants.map(({ key, value }) => `  ${printable(key)}: ${printable(value)}`);
  return [
    `The configuration of this folder, ${printable(file.path)}, wants what may start programs, send keys or ` +
      `conversations to an address, or let tools do more.${changed}`,
    ...rows,
  ].join('\n');
}
