import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { OursOptions } from '@throughline/replay';

/**
 * Summaries by whatever the command starts: a program that asks a model, or one that waits for a person. It gets the
 * request as one JSON on its standard input, and what it prints is the summary.
 *
 * @throws where it ends with another code than 0.
 */
export function summaryBy(command: string): NonNullable<OursOptions['writeSummary']> {
  return async ({ system, messages, maxOutputTokens }) => {
    const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const printed = text(child.stdout);
    // A command that answers without reading all of the request closes its end: what counts is how it ends.
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify({ system, messages, maxOutputTokens }));
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`The summariser "${command}" ended with ${code ?? 'a signal'}.`);
    return (await printed).trim();
  };
}
