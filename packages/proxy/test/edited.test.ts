import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { rawCall } from './raw-call.ts';
import { dialectNames, paths } from './questions.ts';
import { startProxy } from './start-proxy.ts';
import type { DialectName } from '../src/stream/dialect-streams.ts';

const windowTokens = 6_000;
const filler = 'The account of the customer was moved to the other ledger because it was closed. '.repeat(12);

/** One turn: what the user says, and what a tool gives back for it. */
interface Turn {
  readonly question: string;
  readonly result: string;
}

const turnOf = (turn: number): Turn => ({
  question: `Question ${turn}: why was it moved?`,
  result: `Result ${turn}. ${filler}`,
});

/** The history after so many turns, in odd handwriting: every message is one line of text that nobody would write again. */
function history(dialect: DialectName, turns: number, mark = true): string[] {
  const lines: string[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const { question, result } = turnOf(turn);
    const isLast = turn === turns - 1;
    const input = `"{\\"turn\\":${turn}}"`;
    const call = `call_${turn}`;
    if (dialect === 'chat') {
      lines.push(`{ "role":"user", "content":"${question} \\u00e9" ,"x_of_mine":1.50}`);
      lines.push(
        `{"role":"assistant","content":null,"tool_calls":[{"id":"${call}","type":"function","function":{"name":"look","arguments":${input}}}]}`,
      );
      lines.push(`{"role":"tool","tool_call_id":"${call}", "content":"${result}"}`);
      if (!isLast) lines.push(`{"role":"assistant","content":"So ${turn}."}`);
    } else if (dialect === 'responses') {
      lines.push(`{ "role":"user", "content":"${question} \\u00e9" }`);
      lines.push(`{"type":"function_call","call_id":"${call}","name":"look","arguments":${input}}`);
      lines.push(`{"type":"function_call_output","call_id":"${call}", "output":"${result}"}`);
      if (!isLast) lines.push(`{"role":"assistant","content":"So ${turn}."}`);
    } else {
      // As Claude Code: the mark is on the newest block alone, and what carries one is a block instead of a text.
      const marked = mark && isLast ? ',"cache_control":{"type":"ephemeral"}' : '';
      lines.push(`{ "role":"user", "content":"${question} \\u00e9" }`);
      lines.push(
        `{"role":"assistant","content":[{"type":"tool_use","id":"${call}","name":"look","input":{"turn":${turn}}}]}`,
      );
      lines.push(
        `{"role":"user","content":[{"type":"tool_result","tool_use_id":"${call}", "content":"${result}"${marked}}]}`,
      );
      if (!isLast) {
        lines.push(`{"role":"assistant","content":"So ${turn}."}`);
        // A system message in the middle of the conversation: a block as long as it is the newest, a text from then on.
        if (turn === 2)
          lines.push(
            turns === 4
              ? `{"role":"system","content":[{"type":"text","text":"Be brief from now on."}]}`
              : `{"role":"system","content":"Be brief from now on."}`,
          );
      }
    }
  }
  return lines;
}

const tools: Readonly<Record<DialectName, string>> = {
  chat: '"tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}]',
  messages:
    '"tools":[{"name":"look","input_schema":{"type":"object"}}],"system":[{"type":"text","text":"You are a clerk.","cache_control":{"type":"ephemeral"}}]',
  responses: '"tools":[{"type":"function","name":"look","parameters":{"type":"object"},"strict":false}]',
};

interface Written {
  readonly head: string;
  readonly tail: string;
  readonly body: string;
}

function write(dialect: DialectName, turns: number, mark = true): Written {
  const limit = dialect === 'responses' ? '"max_output_tokens":300' : '"max_tokens":300';
  const key = dialect === 'responses' ? 'input' : 'messages';
  const head = ` {"model":"m" , ${limit}, "metadata":{"n":"12345678901234567890123"}, ${tools[dialect]} ,\n"${key}": [`;
  const tail = `]  , "user" : "\\u006de"\t}`;
  return { head, tail, body: `${head}${history(dialect, turns, mark).join(' ,')}${tail}` };
}

const headers = { 'anthropic-version': '2023-06-01' };

describe.each(dialectNames)('an edited request over %s', (dialect) => {
  it('is the text of its client wherever it was not edited', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const { head, tail, body } = write(dialect, 30);
    const answer = await rawCall(proxy.url, { path: paths[dialect], headers, body });
    await upstream.stop();
    expect(upstream.faults).toEqual([]);
    expect(answer.status).toBe(200);
    const sent = upstream.requests[0]?.bytes.toString() ?? '';
    expect(sent).not.toBe(body);
    expect(sent.startsWith(head)).toBe(true);
    expect(sent.endsWith(tail)).toBe(true);
    const own = history(dialect, 30);
    // The newest messages are the client's own, letter for letter.
    for (const line of own.slice(-3)) expect(sent).toContain(line);
    expect(JSON.parse(sent)).toBeTypeOf('object');
  });

  it('of a long conversation is read from the cache, but for the steps at which it is compacted', async () => {
    // A window as small local models have it: a turn is a small part of it.
    const wide = { windowTokens: 24_000 };
    const upstream = await createStrictUpstream(wide);
    await using proxy = await startProxy(`${upstream.url}/v1`, wide);
    const steps: { readonly isCompaction: boolean; readonly prompt: number; readonly read: number }[] = [];
    for (let turns = 1; turns <= 110; turns += 1) {
      const { body } = write(dialect, turns);
      const answer = await rawCall(proxy.url, { path: paths[dialect], headers, body });
      expect(answer.status).toBe(200);
      const { prompt = 0, read = 0 } = upstream.cacheFigures().uses.at(-1) ?? {};
      const action = String(answer.headers['x-context-action']);
      steps.push({ isCompaction: action !== 'none' && action !== 'replayed', prompt, read });
    }
    await upstream.stop();
    expect(upstream.faults).toEqual([]);
    // One conversation: everything after the first compaction is made from what was.
    for (const [at, step] of steps.entries()) {
      const before = steps[at - 1];
      // All that was sent the last time, but for a mark that could only be set behind it.
      if (before && !step.isCompaction) expect(step.read).toBeGreaterThanOrEqual(before.prompt - 60);
    }
    const usual = steps.slice(1).filter(({ isCompaction }) => !isCompaction);
    const sum = (of: 'prompt' | 'read'): number => usual.reduce((all, step) => all + step[of], 0);
    const share = sum('read') / sum('prompt');
    expect(steps.filter(({ isCompaction }) => isCompaction).length).toBeGreaterThan(0);
    expect(steps.filter(({ isCompaction }) => isCompaction).length).toBeLessThan(20);
    expect(share).toBeGreaterThan(0.9);
  });
});

interface Marked {
  readonly content?: unknown;
}

const marksIn = (text: string): number => text.split('"cache_control"').length - 1;

describe('the marks of a cache', () => {
  it('stay on what stays, and are at most four', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const { body } = write('messages', 30);
    await rawCall(proxy.url, { path: paths.messages, headers, body });
    await upstream.stop();
    const sent = upstream.requests[0]?.bytes.toString() ?? '';
    expect(marksIn(sent)).toBe(marksIn(body));
    const { messages } = JSON.parse(sent) as { messages: Marked[] };
    expect(JSON.stringify(messages.at(-1))).toContain('cache_control');
  });

  it('of a block that is replaced go to what stands in its place', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const mark = ',"cache_control":{"type":"ephemeral"}';
    const lines = history('messages', 30);
    // Two marks on old results, that a compaction takes away.
    for (const at of [2, 14]) lines[at] = (lines[at] ?? '').replace(/\}\]\}$/, `${mark}}]}`);
    const { head, tail } = write('messages', 30);
    const body = `${head}${lines.join(',')}${tail}`;
    expect(marksIn(body)).toBe(4);
    const answer = await rawCall(proxy.url, { path: paths.messages, headers, body });
    await upstream.stop();
    const sent = upstream.requests[0]?.bytes.toString() ?? '';
    expect(answer.status).toBe(200);
    expect(upstream.faults).toEqual([]);
    expect(marksIn(sent)).toBeLessThanOrEqual(4);
    expect(marksIn(sent)).toBeGreaterThan(2);
  });
});

describe('a body that names its messages twice', () => {
  it('is edited where its reader reads it', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const first = '"messages":[{"role":"user","content":"not this one"}]';
    const body = `{"model":"m",${first},"max_tokens":300,"m\\u0065ssages":[${history('chat', 30).join(',')}],${tools.chat}}`;
    const answer = await rawCall(proxy.url, { path: paths.chat, body });
    await upstream.stop();
    expect(answer.status).toBe(200);
    const sent = JSON.parse(upstream.requests[0]?.bytes.toString() ?? '') as { messages: unknown[] };
    expect(JSON.stringify(sent.messages.at(-1))).toContain('Result 29');
    expect(upstream.requests[0]?.promptTokens).toBeLessThan(windowTokens);
  });

  it('and its limit twice, too', async () => {
    const upstream = await createStrictUpstream({ windowTokens, server: 'vllm' });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const body =
      '{"max_tokens":10,"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":99999}';
    const answer = await rawCall(proxy.url, { path: paths.chat, body });
    await upstream.stop();
    expect(answer.status).toBe(200);
  });
});
