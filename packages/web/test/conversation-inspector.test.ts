import { accessFaults } from './accessible.ts';
import {
  anthropicCodec,
  createStrategy,
  emptyState,
  openTranscript,
  prepare,
  renderView,
} from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { fromConversation } from '../src/inspect/source/from-conversation.ts';
import { fatesAt } from '../src/inspect/fates.ts';
import { forecast } from '../src/inspect/forecast.ts';
import { floorOf } from '../src/inspect/floor.ts';
import { hasBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { measuredTokens, requestAt } from '../src/inspect/request-at.ts';
import type { ContextState } from '@throughline/core';
import type { Json } from '@throughline/core/codec';
import type { ProxyCompactionRecord, ProxyConversation, ProxyHistory } from '@throughline/protocol/types';
import type { Services } from '@throughline/server';

const policy = {
  // So low that pruning alone does not do.
  budget: { windowTokens: 6_000, target: 0.55 },
  strategy: createStrategy('threshold-tail'),
  summariser: { type: 'code' },
} as const;

const reminder = { type: 'text', text: '<system-reminder>\nBe brief.\n</system-reminder>' };

const outputOf = (at: number): string =>
  `Part ${at} of src/file-${at}.ts. ${'It was moved there. '.repeat(30)}`;

/** As Claude Code sends it: results inside of the user's messages, reminders in front of what was said. */
const messages: readonly Json[] = Array.from({ length: 61 }, (_, at): Json => {
  if (at === 0)
    return { role: 'user', content: [reminder, { type: 'text', text: 'Move the files, please.' }] };
  const id = `call_${at + (at % 2)}`;
  return at % 2 === 1
    ? { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: { command: `mv ${at}` } }] }
    : { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: outputOf(at) }, reminder] };
});

const history: ProxyHistory = {
  format: 'anthropic',
  messages,
  timesMs: messages.map((_, at) => at),
  // As of a conversation that an earlier version has stored.
  instructions: null,
};

/** Passes as a proxy makes them: at some requests of the growing history, each on top of the one before. */
function passes(said: readonly Json[] = messages): {
  readonly records: readonly ProxyCompactionRecord[];
  readonly sent: Map<number, unknown[]>;
} {
  const records: ProxyCompactionRecord[] = [];
  const sent = new Map<number, unknown[]>();
  let state: ContextState = emptyState();
  for (let length = 1; length <= said.length; length += 2) {
    const transcript = openTranscript({ codec: anthropicCodec }, said.slice(0, length));
    const step = prepare(transcript, state, policy);
    if (step.type !== 'ready') throw new Error(step.type);
    if (JSON.stringify(step.state.changes) !== JSON.stringify(state.changes))
      records.push({
        messageCount: length,
        action: step.report.wasCompacted ? 'compacted' : step.report.wasPruned ? 'pruned' : 'truncated',
        tokensBefore: step.report.tokens.before,
        tokensAfter: step.report.tokens.final,
        windowTokens: 6_000,
        checkpointId: step.checkpoint?.id ?? null,
        round: null,
        summary: null,
        range: null,
        changes: [],
        createdAtMs: length,
        isInherited: false,
        isInForce: false,
        state: JSON.parse(JSON.stringify(step.state)) as never,
      });
    state = step.state;
    sent.set(
      length,
      renderView(transcript, step.view).messages.map(({ message }) => message),
    );
  }
  const last = records.length - 1;
  return { records: records.map((record, at) => ({ ...record, isInForce: at === last })), sent };
}

const conversation: ProxyConversation = {
  id: 'one',
  route: 'it',
  model: 'm',
  title: '<system-reminder> Be brief. </system-reminder>',
  label: null,
  parentId: null,
  messageCount: 61,
  requestCount: 30,
  compactionCount: 3,
  lastUsage: { inputTokens: 3_000, outputTokens: 7 },
  createdAtMs: 0,
  updatedAtMs: 0,
};

/** Behind the client's own compaction. */
const later: ProxyConversation = { ...conversation, id: 'two', parentId: 'one', messageCount: 3 };

const laterHistory: ProxyHistory = {
  format: 'anthropic',
  messages: [
    {
      role: 'user',
      content: 'This session is being continued from a previous conversation.\nFiles were moved.',
    },
    { role: 'assistant', content: 'They were.' },
    { role: 'user', content: 'Go on.' },
  ],
  timesMs: [0, 1, 2],
  instructions: {
    system: 'You move files. '.repeat(40),
    tools: ['Bash', 'mcp__files__move'].map((name) => ({
      name,
      description: name.repeat(90),
      input_schema: {},
    })),
  },
};

const context = {
  currentTokens: 3_000,
  limit: 5_000,
  windowTokens: 6_000,
  triggerTokens: 4_500,
  percentUsed: 60,
  level: 'ok',
  byCategory: { system: 0, tools: 0, user: 1_500, assistant: 1_500, toolResults: 0, media: 0, summary: 0 },
  estimated: true,
} as const;

describe('a proxied conversation in the inspector', () => {
  it('has the very messages of each request that was sent, and says what took the others', () => {
    const { records, sent } = passes();
    expect(records.length).toBeGreaterThan(1);
    const inspected = fromConversation({ conversation, history, changes: records, context });
    expect(inspected.title).toBe('Move the files, please.');
    expect(inspected.steps.map(({ historyLength }) => historyLength)).toEqual([...sent.keys()]);
    for (const [index, { historyLength }] of inspected.steps.entries())
      expect(requestAt(inspected, index).messages.map(({ message }) => message)).toEqual(
        sent.get(historyLength),
      );
    const gone = fatesAt(inspected, 'next').filter(({ state }) => state === 'gone');
    expect(gone.length).toBeGreaterThan(10);
    expect(gone.every((fate) => fate.state === 'gone' && fate.cause.pass !== null)).toBe(true);
  });

  it('has the instructions and tools of its client in what goes next, in the floor and in the request', () => {
    const of = (said: ProxyHistory) =>
      fromConversation({ conversation: later, history: said, changes: [], context });
    const inspected = of(laterHistory);
    const { estimatedTokens } = requestAt(inspected, 'next');
    const without = requestAt(of({ ...laterHistory, instructions: null }), 'next');
    expect(estimatedTokens).toBeGreaterThan(without.estimatedTokens + 400);
    const parts = floorOf(inspected).parts.map(({ kind, name }) => `${kind} ${name}`);
    expect(parts).toEqual(
      expect.arrayContaining(['system system text', 'tools tools of the client', 'tools files']),
    );
    expect(inspected.setup).toMatchObject(laterHistory.instructions ?? {});
  });

  it('says of the next request what its upstream has counted, in all views alike', () => {
    const { records } = passes();
    const inspected = fromConversation({ conversation, history, changes: records, context });
    const next = requestAt(inspected, 'next');
    expect(next.estimatedTokens).not.toBe(3_000);
    expect(measuredTokens(inspected, next)).toBe(3_000);
    expect(forecast(inspected).currentTokens).toBe(3_000);
  });

  it('says that a threshold was reached only of a strategy that has one', () => {
    const { records } = passes();
    const reasonsOf = (strategy: string): readonly string[] => [
      ...new Set(
        fromConversation({ conversation, history, changes: records, context, strategy }).passes.map(
          ({ reason }) => reason,
        ),
      ),
    ];
    expect(reasonsOf('threshold-tail')).toEqual(['threshold']);
    expect(reasonsOf('reactive-overflow')).toEqual(['preflight']);
  });

  it('calls each pass by what it did, and says of a result that was too long that it was that', () => {
    const call = { type: 'tool_use', id: 'long', name: 'Bash', input: { command: 'cat log' } };
    const long = Array.from({ length: 400 }, (_, at) => `${at}: all is well`).join('\n');
    const said: readonly Json[] = [
      { role: 'user', content: 'Read the log.' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'long', content: long }] },
      ...messages.slice(1),
    ];
    const { records } = passes(said);
    const changed = { ...history, messages: said };
    const { passes: all } = fromConversation({
      conversation,
      history: changed,
      changes: records,
      context,
      strategy: 'threshold-tail',
    });
    expect(all.map(({ name, reason }) => `${name}: ${reason}`).slice(0, 3)).toEqual([
      'truncation 1: at-source',
      'pruning 1: threshold',
      'compaction 1: threshold',
    ]);
  });

  it.skipIf(!hasBrowser)('is opened from its address, without anything that would change it', async () => {
    const { records } = passes();
    let now = conversation;
    let said = history;
    const proxied: NonNullable<Services['proxied']> = () =>
      Promise.resolve({
        routes: () => Promise.resolve({ items: [] }),
        list: () => Promise.resolve({ items: [later, conversation], next: null }),
        search: () => Promise.resolve({ items: [], next: null }),
        read: (_, id) => Promise.resolve(id === later.id ? later : now),
        messages: () => Promise.resolve({ items: [], next: null }),
        history: (_, id) => Promise.resolve(id === later.id ? laterHistory : said),
        compactions: (_, id) => Promise.resolve(id === later.id ? [] : records),
        context: () => Promise.resolve(context),
        searchIn: () => Promise.resolve([]),
        recall: () => Promise.resolve(undefined),
        delete: () => Promise.resolve(false),
      });
    const site = await openSite({ proxied });
    const { page, faults } = await openPage(`${site.url}/#/proxy/conversations/one/inspector`);
    await page
      .getByText(/Gone: summarised by compaction \d/)
      .first()
      .waitFor();
    await page.getByRole('heading', { name: 'Move the files, please.' }).waitFor();
    // Behind the task, where it is sent.
    const keys = await page.evaluate(
      '[...document.querySelectorAll("[data-row]")].map((row) => row.dataset.row)',
    );
    expect((keys as readonly string[]).slice(0, 2)).toEqual(['m0', 'w1']);
    await page.locator('[data-row="m2"] summary').click();
    await page
      .locator('[data-row="m2"]')
      .getByLabel('As it was said')
      .getByText('Part 2 of src/file-2.ts')
      .waitFor();
    await page.getByText('; now in the summary of compaction ').first().waitFor();
    await page.getByRole('button', { name: 'As curl' }).click();
    await page.getByText('instructions and tools are not known').waitFor();
    await page.getByLabel('Command').getByText('/v1/messages').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'another conversation' }).click();
    await page.getByText('Here: its client’s own summary of what was said before').waitFor();
    await page.getByRole('button', { name: 'As curl' }).click();
    await page.getByLabel('Command').getByText('mcp__files__move').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Compactions' }).click();
    await page.getByRole('heading', { name: 'Compacted by Claude Code itself' }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Open the conversation before it' }).click();
    await page
      .getByText(/Gone: summarised by compaction \d/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: /Pin it|Put it back/ }).count()).toBe(0);
    // The client goes on, and the inspector with it.
    said = {
      ...history,
      messages: [
        ...messages,
        { role: 'assistant', content: 'All were moved.' },
        { role: 'user', content: 'Thanks!' },
      ],
      timesMs: [...history.timesMs, 62, 63],
    };
    now = { ...conversation, messageCount: 63, requestCount: 31, updatedAtMs: 63 };
    await page.getByText('for a history of 63').waitFor();
    await page.getByRole('tab', { name: 'Prefix cache' }).click();
    await page.getByText('is not kept for proxied conversations').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
