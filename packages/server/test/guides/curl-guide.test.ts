import { execFile } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { openServer } from '../open-server.ts';
import { promisify } from 'node:util';
import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../../../docs/guides/server-with-curl.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = '']) => text);
const run = promisify(execFile);

/** Tells the status of each answer on standard error. */
const withStatus = `curl() { command curl -w '%{stderr}%{http_code}\\n' "$@"; }`;

/** What the last commands are there to show. */
const wrongAtTheEnd = ['422', '404'];

describe('the guide with curl', () => {
  it('has commands that all work, in its order', async () => {
    await using opened = await openServer({ wordDelayMs: 5 });
    const script = [withStatus, ...blocks].join('\n').replaceAll('http://127.0.0.1:4100', opened.url);
    const { stdout, stderr } = await run('bash', ['-eu', '-c', script], { maxBuffer: 10_000_000 });
    const statuses = stderr.split('\n').filter((line) => /^\d{3}$/.test(line));
    const commands = blocks.join('\n').match(/\bcurl -s/g) ?? [];
    expect(statuses).toHaveLength(commands.length);
    expect(statuses.slice(-2)).toEqual(wrongAtTheEnd);
    expect(statuses.slice(0, -2).filter((status) => !/^20[012]$/.test(status))).toEqual([]);
    expect(stdout).toContain('"queued":true');
    expect(stdout).toContain('event: run:end');
    expect(stdout).toContain('"path":"/colour"');
    expect(opened.faults).toEqual([]);
  });
});
