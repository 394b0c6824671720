import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { askRecalling, bodyAt, clientTool, hear, recalls, roundOf, saying, toolName } from './recalling.ts';
import { callOf, dialectNames } from './questions.ts';
import { rawCall } from './raw-call.ts';
import { maxTokensOf } from '../src/wire/dialect.ts';
import { dialects } from '../src/wire/dialect.ts';
import { startProxy } from './start-proxy.ts';
import type { AnswerScript, StrictUpstream } from '@throughline/testkit';
import type { DialectName } from '../src/stream/dialect-streams.ts';
import type { Said } from './askers.ts';

const forms = dialectNames.flatMap((dialect) => [true, false].map((isStreamed) => ({ dialect, isStreamed })));
const limit = (dialect: DialectName, tokens: number): object =>
  dialect === 'responses' ? { max_output_tokens: tokens } : { max_tokens: tokens };

/** What the user said in this turn: no two sentences are the same. */
function saidIn(turn: number, sentences = 40): string {
  const words = Array.from(
    { length: sentences },
    (_, at) => `Account ${turn * 1_000 + at} went to ledger ${(turn * 31 + at * 7) % 97}.`,
  );
  return `In turn ${turn}: ${words.join(' ')}`;
}

function conversation(turns: number, last = 'What was in the first turn?'): readonly Said[] {
  return Array.from({ length: turns }, (_, turn): Said[] =>
    turn === turns - 1
      ? [{ role: 'user', text: last }]
      : [
          { role: 'user', text: saidIn(turn) },
          { role: 'assistant', text: `Noted for turn ${turn}.` },
        ],
  ).flat();
}

function numbered(from: number, count: number): string {
  return `${Array.from({ length: count }, (_, at) => `w${from + at}`).join(' ')}.`;
}

/** Prompt and answer of each request, at most. */
function largestOf({ requests }: StrictUpstream): number {
  return Math.max(
    ...requests.map(
      ({ promptTokens = 0, dialect = 'chat', json }) =>
        promptTokens + (maxTokensOf(dialects[dialect], json as never) ?? 0),
    ),
  );
}

describe.each(forms)(
  'over $dialect, streamed: $isStreamed, a conversation that outgrows its window',
  ({ dialect, isStreamed }) => {
    it('has ids in the place of what was said, by which the model gets it word for word', async () => {
      const windowTokens = 8_000;
      const messages = conversation(20);
      let named = -1;
      const answer: AnswerScript = (asked) => {
        const view = asked.messages.map(({ text }) => text);
        if (roundOf(asked) > 0) return { text: 'Found.' };
        const ids = view.flatMap((text) => [...text.matchAll(/\bm(\d+)\b/g)]).map(([, id]) => Number(id));
        named = ids.find((id) => messages[id]?.role === 'user' && !view.includes(messages[id].text)) ?? -1;
        return { text: 'I look.', calls: [recalls({ id: `m${named}` })] };
      };
      const upstream = await createStrictUpstream({ windowTokens, answer });
      await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, recall: true });
      const heard = await hear(proxy.url, { dialect, isStreamed, messages, more: limit(dialect, 600) });
      await upstream.stop();
      expect(upstream.faults).toEqual([]);
      expect(upstream.requests.map(({ status }) => status)).toEqual([200, 200]);
      const asked = messages[named]?.text ?? 'nothing';
      expect(asked).toContain('In turn');
      const sent = upstream.requests.map((_, at) => bodyAt(upstream, at));
      expect(sent.map((body) => body.includes(asked))).toEqual([false, true]);
      expect(sent.map((body) => body.includes('The recall tool returns any of them'))).toEqual([true, true]);
      expect([heard.text, heard.calls]).toEqual(['I look.\n\nFound.', []]);
      expect(largestOf(upstream)).toBeLessThanOrEqual(windowTokens);
    });
  },
);

describe.each(forms)('over $dialect, streamed: $isStreamed, what is recalled', ({ dialect, isStreamed }) => {
  it.each([3_000, 5_000, 9_000])(
    'never outgrows a window of %i, however often and whatever is asked for',
    async (windowTokens) => {
      for (const input of [{ id: 'm0' }, { id: 'm2', offset: 300 }, { query: 'ledger' }]) {
        const script = saying({ text: 'More.', calls: [recalls(input), recalls({ id: 'm4' })] });
        const upstream = await createStrictUpstream({ windowTokens, answer: script });
        await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, recall: true });
        const messages = [
          { role: 'user', text: saidIn(0, 600) },
          { role: 'assistant', text: 'Yes.' },
          ...conversation(8),
        ] as const;
        const heard = await hear(proxy.url, { dialect, isStreamed, messages, more: limit(dialect, 2_000) });
        await upstream.stop();
        expect(upstream.faults).toEqual([]);
        expect(new Set(upstream.requests.map(({ status }) => status))).toEqual(new Set([200]));
        expect(upstream.requests.length).toBeGreaterThan(1);
        expect(largestOf(upstream)).toBeLessThanOrEqual(windowTokens);
        expect(heard.calls).toEqual([]);
        expect(heard.raw).not.toContain(toolName);
      }
    },
  );

  it('is nothing where the window leaves no room for it, and the model is told so', async () => {
    const windowTokens = 4_000;
    const messages = [
      { role: 'user', text: saidIn(0, 600) },
      { role: 'assistant', text: 'Yes.' },
      { role: 'user', text: saidIn(1, 90) },
    ] as const;
    const again = { calls: [recalls({ id: 'm0' })] };
    const script = saying(again, again, again, again, { text: 'Then not.' });
    const { upstream, heard } = await askRecalling(
      { dialect, isStreamed, messages, more: limit(dialect, 900) },
      script,
      { upstream: { windowTokens }, route: { windowTokens } },
    );
    const told = upstream.requests.map((_, at) =>
      bodyAt(upstream, at).includes('There is no room left in the context'),
    );
    expect([told[1], told.at(-1)]).toEqual([false, true]);
    expect(upstream.faults).toEqual([]);
    expect(heard.text).toBe('Then not.');
    expect(largestOf(upstream)).toBeLessThanOrEqual(windowTokens);
  });

  it.each([
    ['is continued behind it', 1_500, 1_100],
    ['was continued before it', 2_300, 500],
  ])('is told in an answer that %s', async (_, before, behind) => {
    const windowTokens = 6_000;
    const first = numbered(0, before);
    const second = numbered(5_000, behind);
    const call = { name: 'read', input: { path: 'a.ts' } };
    const answer: AnswerScript = (asked) => {
      const said = asked.messages.findLast(({ role }) => role === 'assistant')?.text ?? '';
      const partial = said.slice(said.indexOf('w5000'));
      if (said.includes('w5000') && second.startsWith(partial))
        return { text: second.slice(partial.length), calls: [call] };
      if (roundOf(asked) > 0) return { text: second, calls: [call] };
      return { text: first, calls: [recalls({ id: 'm0' })] };
    };
    const upstream = await createStrictUpstream({ windowTokens, answer });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, recall: true });
    const more = { ...limit(dialect, 20_000), tools: [clientTool(dialect)] };
    const heard = await hear(proxy.url, { dialect, isStreamed, messages: conversation(8), more });
    await upstream.stop();
    expect(upstream.faults).toEqual([]);
    expect(heard.text.replaceAll(/\s+/g, ' ') === `${first} ${second}`).toBe(true);
    expect(upstream.requests.length).toBeGreaterThan(2);
    expect(heard.calls).toEqual(['read']);
    expect(heard.raw).not.toContain(toolName);
  });

  it('is given up where the upstream has less room than anybody knew, which is remembered', async () => {
    const messages = [{ role: 'user', text: saidIn(0, 600) }, ...conversation(2)] as const;
    const script = saying({ text: 'So.', calls: [recalls({ id: 'm0' })] }, { text: 'Then not.' });
    const { upstream, heard } = await askRecalling(
      { dialect, isStreamed, messages, more: limit(dialect, 900) },
      script,
      {
        upstream: { windowTokens: 9_500 },
        route: { windowTokens: 40_000 },
      },
    );
    expect(upstream.requests.map(({ status }) => status)).toEqual([200, 400, 200]);
    expect(bodyAt(upstream, 2)).toContain('There is no room left in the context window');
    expect([heard.text, heard.calls]).toEqual(['So.\n\nThen not.', []]);
  });
});

describe.each(dialectNames)('over %s, a long conversation on a route that recalls', (dialect) => {
  it.each(['in front of', 'behind'])('keeps what the client has sent %s its messages', async (place) => {
    const windowTokens = 4_000;
    const upstream = await createStrictUpstream({ windowTokens, answer: saying({ text: 'So it is.' }) });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, recall: true });
    const tools = [clientTool(dialect, 'read'), clientTool(dialect, 'write')];
    const written = JSON.stringify(tools);
    for (let turns = 1; turns < 26; turns += 1) {
      const call = callOf({
        dialect,
        isStreamed: false,
        messages: conversation(turns),
        more: limit(dialect, 400),
      });
      const inside = call.body.slice(1, -1);
      const body = place === 'behind' ? `{${inside},"tools":${written}}` : `{"tools":${written},${inside}}`;
      const { status } = await rawCall(proxy.url, { ...call, body });
      expect(status).toBe(200);
    }
    await upstream.stop();
    expect(upstream.faults).toEqual([]);
    expect(upstream.requests).toHaveLength(25);
    const own = upstream.requests.map((_, at) => /"tools":(\[.*\])/.exec(bodyAt(upstream, at))?.[1] ?? '');
    expect(new Set(own.map((list) => list.startsWith(written.slice(0, -1)))).size).toBe(1);
    expect(upstream.requests.map(({ asked }) => asked?.toolNames.join())).toEqual(
      own.map(() => `read,write,${toolName}`),
    );
    expect(bodyAt(upstream, 24)).toContain('The recall tool returns any of them');
    expect(largestOf(upstream)).toBeLessThanOrEqual(windowTokens);
  });
});
