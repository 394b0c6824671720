import { captureCli, chatSession, temporaryFolder, writeInto } from './support.ts';
import { compact } from '../src/commands/compact.ts';
import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { targetNames } from '@throughline/importers';
import { readRecording } from '@throughline/importers';
import type { ChatMessage } from './support.ts';
import type { Compaction } from '../src/compact/compaction.ts';
import type { CompactOptions } from '../src/commands/compact.ts';

const window = 16_000;
let day = 1;

async function compactJson(path: string, options: CompactOptions): Promise<Compaction> {
  const cli = captureCli({ now: () => Date.UTC(2026, 2, (day += 1)) });
  const code = await compact(path, { ...options, json: true }, cli);
  expect([code, cli.stderr()]).toEqual([0, '']);
  return JSON.parse(cli.stdout()) as Compaction;
}

const read = (path: string): string => readFileSync(path, 'utf8');
const json = (path: string): Record<string, unknown> => JSON.parse(read(path)) as Record<string, unknown>;

/** An answer and a new request, as Anthropic messages; the answer was thought about under seal. */
const signed = [
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'One more time.', signature: 'c2lnbmVk' },
      { type: 'text', text: 'The test is there.' },
    ],
  },
  { role: 'user', content: 'Now publish it.' },
];

/** A Claude Code log of a task and steps of a call and its result, each message with what the API said of it. */
function claudeCodeLog(steps: number): string {
  const lines: string[] = [];
  const add = (role: string, content: unknown): void => {
    const at = lines.length;
    const parentUuid = at === 0 ? null : `u${at - 1}`;
    const message = role === 'user' ? { role, content } : { id: `msg_${at}`, type: 'message', role, content };
    lines.push(JSON.stringify({ type: role, uuid: `u${at}`, parentUuid, sessionId: 's', message }));
  };
  add('user', 'Find the error in src/parser.ts.');
  for (let step = 0; step < steps; step += 1) {
    const id = `toolu_${step}`;
    add('assistant', [{ type: 'tool_use', id, name: 'Read', input: { file_path: `src/${step}.ts` } }]);
    add('user', [{ type: 'tool_result', tool_use_id: id, content: `line ${step} of it `.repeat(200) }]);
  }
  add('assistant', [{ type: 'text', text: 'Found.' }]);
  return lines.join('\n');
}

describe('an output of --to', () => {
  it.each(targetNames)('is gone on from, and undone, as %s', async (to) => {
    const folder = temporaryFolder();
    const path = writeInto(folder, 'session.json', chatSession(60));
    const out = join(folder, 'out');
    await compactJson(path, { window, out, to });
    const second = await compactJson(out, { window: 8_000 });
    expect([second.round, second.format, second.task]).toEqual([2, to, 'verbatim']);
    expect(second.continuedFrom).toContain('out.throughline.json');

    const back = join(folder, 'back');
    const undone = await compactJson(out, { undo: true, out: back });
    expect(undone).toMatchObject({ outcome: 'undone', round: null });
    const whole = join(folder, 'whole');
    await compactJson(path, { window: 200_000, fresh: true, to, out: whole, pin: everything });
    expect(await messagesOf(back)).toEqual(await messagesOf(whole));
  });

  const everything = Array.from({ length: 124 }, (_, ordinal) => ordinal);
  const messagesOf = async (path: string): Promise<readonly unknown[]> => {
    const { sessions } = await readRecording(path);
    return (sessions[0]?.messages ?? []).map((message) => {
      const { id: _, ...rest } = message as Record<string, unknown>;
      return rest;
    });
  };

  it('is gone on from when it has grown, and what came since keeps its bytes', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out.json');
    const path = writeInto(folder, 'session.json', chatSession(60));
    await compactJson(path, { window, out, to: 'anthropic' });
    const body = json(out);
    const grown = [...(body['messages'] as unknown[]), ...signed];
    writeFileSync(out, JSON.stringify({ ...body, max_tokens: 777, messages: grown }));
    const later = join(folder, 'later.json');
    const second = await compactJson(out, { window, out: later });
    expect([second.round, second.output?.format]).toEqual([2, 'anthropic']);
    expect(json(later)).toMatchObject({ max_tokens: 777, system: 'You are a coding agent.' });
    expect(read(later)).toContain(JSON.stringify(signed[0]));
    const third = await compactJson(later, { undo: true, out: join(folder, 'undone.json') });
    expect(third.round).toBe(1);
    expect(json(join(folder, 'undone.json'))['messages']).toEqual(grown);
  });

  it('is known for what it is although its text alone does not tell', async () => {
    const folder = temporaryFolder();
    const talk = Array.from({ length: 40 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `Turn ${index}: ${'some words about the weather '.repeat(40)}`,
    }));
    const out = join(folder, 'out.json');
    await compactJson(writeInto(folder, 's.json', talk), { window, out, to: 'ai-sdk' });
    const second = await compactJson(out, { window: 6_000, out: join(folder, 'second.json') });
    expect([second.round, second.format, second.output?.format]).toEqual([2, 'ai-sdk', 'ai-sdk']);
  });

  it('stays a request, without what a log keeps beside the messages of the same kind', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'request.json');
    await compactJson(writeInto(folder, 'log.jsonl', claudeCodeLog(40)), { window, out, to: 'anthropic' });
    const second = await compactJson(out, { undo: true, out: join(folder, 'undone.json') });
    expect([second.outcome, second.messages.after]).toEqual(['undone', 82]);
    for (const message of json(join(folder, 'undone.json'))['messages'] as object[])
      expect(Object.keys(message).toSorted()).toEqual(['content', 'role']);
  });

  it('goes back into the format of the original without a loss', async () => {
    const folder = temporaryFolder();
    const messages = chatSession(60).map((message) => ({ ...message, x_trace: 1 }));
    const path = writeInto(folder, 'session.json', messages);
    const out = join(folder, 'out.json');
    await compactJson(path, { window, out, to: 'openai-responses' });
    const back = join(folder, 'back.json');
    const { output } = await compactJson(out, { undo: true, out: back, to: 'openai-chat' });
    expect(output?.losses).toEqual([]);
    expect(json(back)['messages']).toEqual(messages);
  });

  it('holds the whole conversation together with its state', async () => {
    const folder = temporaryFolder();
    const out = join(temporaryFolder(), 'out.json');
    await compactJson(writeInto(folder, 's.json', chatSession(60)), { window, out, to: 'anthropic' });
    const state = json(`${out}.throughline.json`) as { archived: { message: ChatMessage }[] };
    expect(state.archived.map(({ message }) => message)).toEqual(chatSession(60));
  });
});

describe('--to with the format of the file', () => {
  it('writes the body of a request from a list of messages, in JSON or JSONL', async () => {
    const folder = temporaryFolder();
    const lines = chatSession(60).map((message) => `${JSON.stringify(message)}\n`);
    for (const content of [chatSession(60), lines.join('')]) {
      const path = writeInto(folder, 'session', content);
      const out = join(folder, 'out.json');
      const { messages } = await compactJson(path, {
        window,
        fresh: true,
        out,
        to: 'openai-chat',
        force: true,
      });
      expect(json(out)['messages']).toHaveLength(messages.after);
    }
  });

  it('keeps the rest of what is a request already', async () => {
    const folder = temporaryFolder();
    const path = writeInto(folder, 's.json', {
      model: 'gpt-4o',
      temperature: 0.2,
      messages: chatSession(60),
    });
    const out = join(folder, 'out.json');
    await compactJson(path, { window, out, to: 'openai-chat' });
    expect(json(out)).toMatchObject({ model: 'gpt-4o', temperature: 0.2 });
  });
});

describe('a request to Anthropic', () => {
  it('says how long the answer may be: what the window keeps free for it', async () => {
    const folder = temporaryFolder();
    const path = writeInto(folder, 's.json', chatSession(60));
    const out = join(folder, 'out.json');
    await compactJson(path, { window, out, to: 'anthropic' });
    expect(json(out)['max_tokens']).toBe(4_000);
    await compactJson(path, { window, model: 'gpt-3.5-turbo', out, to: 'anthropic', force: true });
    expect(json(out)['max_tokens']).toBe(4_000);
    await compactJson(path, { window: 200_000, model: 'gpt-3.5-turbo', out, to: 'anthropic', force: true });
    expect(json(out)['max_tokens']).toBe(4_096);
  });

  it('keeps the number that it had', async () => {
    const folder = temporaryFolder();
    const path = writeInto(folder, 's.json', { max_tokens: 99, system: 'Be brief.', messages: signed });
    const out = join(folder, 'out.json');
    await compactJson(path, { window, out, to: 'anthropic' });
    expect(json(out)['max_tokens']).toBe(99);
  });
});
