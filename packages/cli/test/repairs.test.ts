import { captureCli, chatSession, temporaryFolder, writeInto } from './support.ts';
import { compact } from '../src/commands/compact.ts';
import { inspect } from '../src/commands/inspect.ts';
import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { ChatMessage } from './support.ts';
import type { Compaction } from '../src/compact/compaction.ts';
import type { CompactOptions } from '../src/commands/compact.ts';

async function compactJson(path: string, options: CompactOptions): Promise<Compaction> {
  const cli = captureCli();
  const code = await compact(path, { ...options, json: true }, cli);
  expect([code, cli.stderr()]).toEqual([0, '']);
  return JSON.parse(cli.stdout()) as Compaction;
}

const messagesIn = (path: string): ChatMessage[] => JSON.parse(readFileSync(path, 'utf8')) as ChatMessage[];

/** A session with messages missing: calls without results, results without calls. */
function sessionWithout(missing: readonly number[], steps = 20): ChatMessage[] {
  return chatSession(steps).filter((_, index) => !missing.includes(index));
}

const window = 16_000;
const [, task, call] = chatSession(1);
const unanswered = [task, call, { role: 'user', content: 'And?' }];

describe('a session that the format would refuse', () => {
  it('is counted as it was read, and what the repair did is a step of its own', async () => {
    const path = writeInto(temporaryFolder(), 's.json', unanswered);
    const result = await compactJson(path, { window });
    expect(result.outcome).toBe('repaired');
    expect(result.messages).toEqual({ before: 3, after: 4 });
    expect(result.byCategory).toContainEqual({
      category: 'tool results',
      count: { before: 0, after: 1 },
      tokens: { before: 0, after: expect.any(Number) as number },
    });
    expect(result.ladderSteps).toEqual([
      {
        ladderStep: 'repair',
        what: '1 call without a result got an error result',
        changes: 1,
        freedTokens: result.tokens.before - result.tokens.after,
        afterTokens: result.tokens.after,
      },
    ]);
    expect(result.tokens.after).toBeGreaterThan(result.tokens.before);
  });

  it('is told so on the page', async () => {
    const cli = captureCli();
    const path = writeInto(temporaryFolder(), 's.json', unanswered);
    expect(await compact(path, { window }, cli)).toBe(0);
    expect(cli.stdout()).toContain('repaired, not compacted');
    expect(cli.stdout()).toContain('1 call without a result got an error result');
    expect(cli.stdout()).not.toContain('left as it is');
  });

  it('is left as it is the second time', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out.json');
    await compactJson(writeInto(folder, 's.json', unanswered), { window, out });
    const second = await compactJson(out, { window });
    expect([second.outcome, second.messages]).toEqual(['unchanged', { before: 4, after: 4 }]);
  });

  it('comes back as it was with an undo, and its tokens add up on the way, whatever is missing in it', async () => {
    const missing = fc.subarray(
      Array.from({ length: 40 }, (_, index) => index + 2),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(missing, async (indexes) => {
        const folder = temporaryFolder();
        const messages = sessionWithout(indexes);
        const path = writeInto(folder, 's.json', messages);
        const [out, back] = [join(folder, 'out.json'), join(folder, 'back.json')];
        const {
          messages: counts,
          tokens,
          ladderSteps,
          byCategory,
        } = await compactJson(path, { window: 8_000, out });
        expect(counts.before).toBe(messages.length);
        expect(tokens.before - ladderSteps.reduce((sum, { freedTokens }) => sum + freedTokens, 0)).toBe(
          tokens.after,
        );
        expect(ladderSteps.at(-1)?.afterTokens).toBe(tokens.after);
        const sum = byCategory.reduce((total, row) => total + row.tokens.before, 0);
        expect(Math.abs(sum - tokens.before)).toBeLessThanOrEqual(byCategory.length);
        await compactJson(out, { undo: true, out: back });
        expect(messagesIn(back)).toEqual(messages);
      }),
      { numRuns: 25 },
    );
  });

  it('comes back as it was read, also what was mended in a message', async () => {
    const folder = temporaryFolder();
    const result = (step: number) => [
      { type: 'text', text: `${`export const step${step} = ${step};\n`.repeat(80)}` },
      { type: 'text', text: '' },
    ];
    const messages = [
      { role: 'user', content: 'Find out why login fails.' },
      ...Array.from({ length: 30 }, (_, step) => [
        { role: 'assistant', content: [{ type: 'tool_use', id: `t${step}`, name: 'read', input: { step } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${step}`, content: result(step) }] },
      ]).flat(),
    ];
    const body = { model: 'claude-sonnet-4-5', max_tokens: 1_000, messages };
    const path = writeInto(folder, 's.json', body);
    const [out, back] = [join(folder, 'out.json'), join(folder, 'back.json')];
    expect(await compactJson(path, { window: 16_000, out })).toMatchObject({ outcome: 'compacted' });
    expect(readFileSync(out, 'utf8')).not.toContain('"text":""');
    await compactJson(out, { undo: true, out: back });
    expect(JSON.parse(readFileSync(back, 'utf8'))).toEqual(body);

    // What came back goes on like the file that was read.
    const again = await compactJson(back, { window: 16_000, out: join(folder, 'again.json') });
    expect(again).toMatchObject({ outcome: 'compacted', round: 1 });
  });

  it('has nothing to take back where it was only repaired', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out.json');
    await compactJson(writeInto(folder, 's.json', unanswered), { window, out });
    const cli = captureCli();
    expect(await compact(out, { undo: true }, cli)).toBe(3);
    expect(cli.stderr()).toMatch(/There is no compaction of .+ to take back: its state .+ holds none\.\n$/);
  });

  it('says after an undo that it is as it was', async () => {
    const folder = temporaryFolder();
    const path = writeInto(folder, 's.json', sessionWithout([5]));
    const out = join(folder, 'out.json');
    await compactJson(path, { window: 8_000, out });
    const cli = captureCli();
    expect(await compact(out, { undo: true }, cli)).toBe(0);
    expect(cli.stdout()).toContain('as it was: 1 rule of the format broken');
  });

  it('is to blame too where only the system prompt is left of it', async () => {
    const cli = captureCli();
    const messages = chatSession(3).filter(({ role }) => role === 'tool' || role === 'system');
    expect(await compact(writeInto(temporaryFolder(), 's.json', messages), { window }, cli)).toBe(3);
    expect(cli.stderr()).toContain('none of its 4 messages can be sent');
  });

  it('is itself to blame where nothing of it can be sent', async () => {
    const folder = temporaryFolder();
    const path = writeInto(
      folder,
      's.json',
      chatSession(3).filter(({ role }) => role === 'tool'),
    );
    for (const options of [{}, { out: join(folder, 'out.json') }]) {
      const cli = captureCli();
      expect(await compact(path, { window, ...options }, cli)).toBe(3);
      expect(cli.stderr()).toBe(
        `throughline: ${path} cannot be compacted: none of its 3 messages can be sent (3 results without a call left out, 3 empty messages left out).\n`,
      );
    }
    expect(readdirSync(folder)).toEqual(['s.json']);
  });

  it('can be looked at where nothing of it can be sent, and this is noted', async () => {
    const path = writeInto(temporaryFolder(), 's.json', [{ role: 'user', content: '' }]);
    const cli = captureCli();
    expect(await inspect([path], { json: true }, cli)).toBe(0);
    const { files } = JSON.parse(cli.stdout()) as { files: object[] };
    expect(files[0]).toMatchObject({
      notes: [{ note: 'For a provider, none of its 1 message can be sent (1 empty message left out).' }],
      wouldFree: { compact: { freedTokens: 0 }, prune: { freedTokens: 0 } },
    });
  });
});

describe('--out -', () => {
  it('writes the transcript to standard output and the page to standard error', async () => {
    const folder = temporaryFolder();
    const path = writeInto(folder, 's.json', chatSession(60));
    const cli = captureCli({ hasColor: true });
    expect(await compact(path, { window, out: '-' }, cli)).toBe(0);
    const messages = JSON.parse(cli.stdout()) as ChatMessage[];
    expect(messages[1]).toEqual(chatSession(1)[1]);
    expect(messages.length).toBeLessThan(20);
    expect(cli.stderr()).toContain('Before and after');
    expect(cli.stderr()).toContain('Written: standard output (openai-chat)');
    expect(cli.stderr()).toContain('No state was written');
    expect(cli.stderr()).not.toContain('\u001b');
    expect(readdirSync(folder)).toEqual(['s.json']);
  });

  it('is refused with --json, which prints there too', async () => {
    const cli = captureCli();
    const path = writeInto(temporaryFolder(), 's.json', chatSession(2));
    expect(await compact(path, { window, out: '-', json: true }, cli)).toBe(2);
    expect(cli.stderr()).toContain('choose one');
  });
});
