import { describe, expect, it } from 'vitest';
import { askRecalling, bodyAt, recalls, saying, secret, toolName } from './recalling.ts';
import { dialectNames } from './questions.ts';
import type { DialectName } from '../src/stream/dialect-streams.ts';

const finishes: Readonly<Record<DialectName, string>> = {
  chat: 'stop',
  messages: 'end_turn',
  responses: 'completed',
};

const forms = dialectNames.flatMap((dialect) => [true, false].map((isStreamed) => ({ dialect, isStreamed })));

const callFinishes = { chat: 'tool_calls', messages: 'tool_use', responses: 'completed' } as const;
const limit = (dialect: DialectName, tokens: number): object =>
  dialect === 'responses' ? { max_output_tokens: tokens } : { max_tokens: tokens };

describe.each(forms)('over $dialect, streamed: $isStreamed, what a model recalls', (form) => {
  it.each([
    ['by its id', { id: 'm0' }],
    ['by a search', { query: 'third stone' }],
  ])('%s is told to it, and its client sees one answer without the call', async (_, input) => {
    const script = saying(
      { reasoning: 'I look it up.', text: 'One moment.', calls: [recalls(input)] },
      { reasoning: 'There it is.', text: 'Under the third stone.' },
    );
    const { upstream, heard, lines } = await askRecalling(form, script);
    expect(upstream.faults).toEqual([]);
    expect(upstream.requests).toHaveLength(2);
    expect(bodyAt(upstream, 1)).toContain(secret);
    expect(bodyAt(upstream, 1).split(secret)).toHaveLength(3);
    expect(heard.text).toBe('One moment.\n\nUnder the third stone.');
    expect(heard.reasoning).toBe('I look it up.There it is.');
    expect(heard.calls).toEqual([]);
    expect(heard.finish).toBe(finishes[form.dialect]);
    expect(heard.raw).not.toContain(toolName);
    if (form.isStreamed) expectOneAnswer(form.dialect, heard.raw);
    const [first, second] = upstream.requests;
    expect(heard.inputTokens).toBe(second?.promptTokens);
    expect(heard.outputTokens).toBe((first?.answer?.tokens ?? 0) + (second?.answer?.tokens ?? 0));
    expect(lines.filter((line) => line.startsWith('[Context] Recall'))).toHaveLength(1);
  });

  it('is told beside the signature of the thought that asked for it', async () => {
    const script = saying({ reasoning: 'I look.', calls: [recalls({ id: 'm0' })] }, { text: 'There.' });
    const { upstream, heard } = await askRecalling(form, script);
    expect(heard.text).toBe('There.');
    expect(upstream.faults).toEqual([]);
    const sent = bodyAt(upstream, 1);
    const signs = {
      chat: '"reasoning_content":"I look."',
      messages: '"type":"thinking","thinking":"I look.","signature":"',
      responses: '"encrypted_content":"sealed-',
    };
    expect(sent).toContain(signs[form.dialect]);
  });

  it('comes several times, one behind the other and two at once', async () => {
    const script = saying(
      { text: 'First.', calls: [recalls({ id: 'm0' }), recalls({ query: 'Noted' })] },
      { calls: [recalls({ id: 'm1' })] },
      { text: 'Last.' },
    );
    const { upstream, heard, lines } = await askRecalling(form, script);
    expect(upstream.faults).toEqual([]);
    expect(upstream.requests).toHaveLength(3);
    expect([heard.text, heard.finish]).toEqual(['First.\n\nLast.', finishes[form.dialect]]);
    expect(bodyAt(upstream, 2)).toContain('m1 (assistant): Noted.');
    expect(lines.filter((line) => line.startsWith('[Context] Recall inside an answer'))).toHaveLength(2);
  });

  it('is told in words where there is no such thing', async () => {
    const script = saying(
      { calls: [recalls({ id: 'm99' })] },
      { calls: [recalls({})] },
      { text: 'Nothing.' },
    );
    const { upstream, heard } = await askRecalling(form, script);
    expect(heard.text).toBe('Nothing.');
    expect(bodyAt(upstream, 1)).toContain('There is no m99 in this conversation.');
    expect(bodyAt(upstream, 2)).toContain('Give an id (m12 or m12.3) or a query.');
  });

  it('comes before calls of the client, which were not run and are called again', async () => {
    const read = { name: 'read', input: { path: 'a.ts' } };
    const script = saying({ text: 'Both.', calls: [read, recalls({ id: 'm0' }), read] }, { calls: [read] });
    const { upstream, heard } = await askRecalling(form, script);
    expect(upstream.faults).toEqual([]);
    expect(bodyAt(upstream, 1).split('Not run: context_recall is answered alone. Call again.')).toHaveLength(
      3,
    );
    expect([heard.text, heard.calls]).toEqual(['Both.', ['read']]);
    expect(heard.finish).toBe(callFinishes[form.dialect]);
    expect(heard.raw).not.toContain(toolName);
  });

  it('is no more than eight times, of which the last is said to be the last', async () => {
    const script = saying({ text: 'Again.', calls: [recalls({ id: 'm0' })] });
    const { upstream, heard } = await askRecalling(form, script);
    expect(upstream.faults).toEqual([]);
    expect(upstream.requests).toHaveLength(9);
    const lasts = upstream.requests.map((_, at) => bodyAt(upstream, at).split('the last recall').length - 1);
    expect(lasts).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect(heard.text).toBe(Array.from({ length: 9 }, () => 'Again.').join('\n\n'));
    expect([heard.calls, heard.finish]).toEqual([[], finishes[form.dialect]]);
    expect(heard.raw).not.toContain(toolName);
  });

  it('leaves the calls of the client where it is called once too often', async () => {
    const read = { name: 'read', input: { path: 'a.ts' } };
    const script = saying({ calls: [recalls({ id: 'm0' }), read, recalls({ id: 'm1' })] });
    const { upstream, heard } = await askRecalling(form, script);
    expect(upstream.requests).toHaveLength(9);
    expect([heard.calls, heard.finish]).toEqual([['read'], callFinishes[form.dialect]]);
    expect(heard.raw).toContain('a.ts');
    expect(heard.raw).not.toContain(toolName);
  });

  it('is nothing where the call is cut by the limit of the answer', async () => {
    const long = { query: 'stone '.repeat(400) };
    const script = saying({ text: 'So.', calls: [recalls(long)] }, { text: 'no' });
    const { upstream, heard } = await askRecalling({ ...form, more: limit(form.dialect, 100) }, script);
    expect(upstream.requests).toHaveLength(1);
    const lengths = { chat: 'length', messages: 'max_tokens', responses: 'incomplete' };
    expect([heard.text, heard.calls, heard.finish]).toEqual(['So.', [], lengths[form.dialect]]);
    expect(heard.raw).not.toContain(toolName);
  });

  it('counts in the limit of the answer', async () => {
    const script = saying({ text: 'So.', calls: [recalls({ id: 'm0' })] }, { text: 'word '.repeat(900) });
    const { upstream, heard } = await askRecalling({ ...form, more: limit(form.dialect, 200) }, script);
    const spent = upstream.requests[0]?.answer?.tokens ?? 0;
    expect(spent).toBeGreaterThan(0);
    expect(upstream.requests[1]?.answer?.tokens).toBe(200 - spent);
    expect(heard.outputTokens).toBe(200);
  });

  it.each([
    ['refuses', { refusal: { status: 503, message: 'Busy' } }],
    ['cannot be reached', { resetAfter: 0 }],
    ['breaks off', { resetAfter: 3 }],
  ] as const)('is no answer where the upstream %s then', async (how, failure) => {
    const script = saying(
      { text: 'One moment.', calls: [recalls({ id: 'm0' })] },
      { text: 'There it is, you see.' },
    );
    const { upstream, heard } = await askRecalling(form, script, {
      upstream: { failures: [undefined, failure] },
      reads: 'raw',
    });
    expect(upstream.requests).toHaveLength(2);
    expect(heard.raw).not.toContain(toolName);
    if (form.isStreamed) {
      expect(heard.raw).toContain('One moment.'.slice(0, 3));
      expect(heard.raw).toMatch(/"error"/);
      expect(heard.raw).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
    } else {
      expect(heard.status).toBe(how === 'refuses' ? 503 : 502);
      if (how === 'refuses') expect(heard.raw).toContain('Busy');
    }
  });
});

interface WireEvent {
  readonly type?: string;
  readonly id?: string;
  readonly index?: number;
  readonly sequence_number?: number;
  readonly output_index?: number;
  readonly choices?: readonly { readonly delta: { readonly role?: string } }[];
}

/** One name, one role, and numbers in their order. */
function expectOneAnswer(dialect: DialectName, raw: string): void {
  const events = [...raw.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as WireEvent);
  const typed = (type: string): readonly WireEvent[] => events.filter((event) => event.type === type);
  const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
  if (dialect === 'chat') {
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    expect(events.filter(({ choices }) => choices?.[0]?.delta.role !== undefined)).toHaveLength(1);
  } else if (dialect === 'messages') {
    for (const type of ['message_start', 'message_delta', 'message_stop'])
      expect(typed(type)).toHaveLength(1);
    const starts = typed('content_block_start').map(({ index }) => index);
    expect(starts).toEqual(upTo(starts.length));
    expect(typed('content_block_stop').map(({ index }) => index)).toEqual(starts);
  } else {
    expect(events.map(({ sequence_number: number }) => number)).toEqual(upTo(events.length));
    for (const type of ['response.created', 'response.completed']) expect(typed(type)).toHaveLength(1);
    const added = typed('response.output_item.added').map(({ output_index: index }) => index);
    expect(added).toEqual(upTo(added.length));
    expect(typed('response.output_item.done').map(({ output_index: index }) => index)).toEqual(added);
  }
}
