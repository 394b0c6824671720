import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { aiSdkCodec } from '../codecs/ai-sdk/ai-sdk-codec.ts';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { emptyState } from '../pass/state.ts';
import { openTranscript } from './transcript.ts';
import { prepare } from '../context/prepare.ts';
import { reconcile } from './reconcile.ts';
import { renderView } from './render-view.ts';
import type { Codec } from '../codecs/codec.ts';
import type { ContextState } from '../pass/state.ts';
import type { Transcript } from './transcript.ts';

const policy = policyOf(12_000);

function sentOf(transcript: Transcript, state: ContextState): { state: ContextState; messages: unknown[] } {
  const step = prepare(transcript, state, policy);
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return {
    state: step.state,
    messages: renderView(transcript, step.view).messages.map(({ message }) => message),
  };
}

describe('reconcile', () => {
  it('decodes only what is new when the history has grown', () => {
    const messages = agentRun(5);
    const transcript = transcriptOf(messages);
    const { transcript: grown, keptMessages } = reconcile(transcript, [...messages, ...exchange(9)]);
    expect(keptMessages).toBe(messages.length);
    expect(grown.conversation.entries.at(3)).toBe(transcript.conversation.entries.at(3));
    expect(grown.conversation.entries.length).toBe(messages.length + 2);
  });

  it('knows messages that were sent anew by their content, cache marks aside', () => {
    const messages = agentRun(5);
    const anew = structuredClone(messages) as Record<string, unknown>[];
    (anew[1] as Record<string, unknown>)['cache_control'] = { type: 'ephemeral' };
    expect(reconcile(transcriptOf(messages), anew).keptMessages).toBe(messages.length);
  });

  it('goes on from the full history when the host carries our last view forward', () => {
    const messages = agentRun(200, 500);
    const transcript = transcriptOf(messages);
    const first = sentOf(transcript, emptyState());
    expect(first.messages.length).toBeLessThan(messages.length);
    const { transcript: grown } = reconcile(
      transcript,
      [...first.messages, ...exchange(300)],
      first.messages,
    );
    expect(grown.conversation.entries.length).toBe(messages.length + 2);
    expect(sentOf(grown, first.state).messages.slice(0, first.messages.length)).toEqual(first.messages);
  });

  it('follows a client that rewinds, and leaves out the changes whose messages are gone', () => {
    const messages = agentRun(200, 500);
    const first = sentOf(transcriptOf(messages), emptyState());
    const { transcript, keptMessages } = reconcile(transcriptOf(messages), messages.slice(0, 20));
    expect(keptMessages).toBe(20);
    const step = prepare(transcript, first.state, policy);
    expect(step.type === 'ready' && step.report.skippedChanges).toBeGreaterThan(0);
    expect(sentOf(transcript, first.state).messages).toEqual(messages.slice(0, 20));
  });

  it('follows a client that edits an early message: the compaction over it is made anew', () => {
    const messages = agentRun(200, 500);
    const first = sentOf(transcriptOf(messages), emptyState());
    const edited = [...messages];
    edited[3] = { ...(edited[3] as object), content: 'another result' };
    const { transcript, keptMessages } = reconcile(transcriptOf(messages), edited);
    expect(keptMessages).toBe(3);
    const second = sentOf(transcript, first.state);
    expect(JSON.stringify(second.messages)).toContain('Compaction Round 1');
    expect(second.messages.at(-1)).toBe(edited.at(-1));
  });

  it('makes the same step from a history that was deserialised anew', () => {
    const messages = agentRun(200, 500);
    const first = sentOf(transcriptOf(messages), emptyState());
    const { transcript } = reconcile(transcriptOf([]), structuredClone(messages));
    expect(sentOf(transcript, first.state).messages).toEqual(first.messages);
  });
});

type Marked = (message: object) => object;

const blockOf = (text: unknown, more: object): object[] => [{ type: 'text', text, ...more }];
const cacheControl = { type: 'ephemeral' };

/** Ways in which a client marks the newest message of a request. */
const ways: readonly (readonly [name: string, codec: Codec, mark: Marked])[] = [
  [
    'a block of Anthropic',
    anthropicCodec,
    (message) => ({
      ...message,
      content: blockOf((message as { content: unknown }).content, { cache_control: cacheControl }),
    }),
  ],
  [
    'a message of AI SDK',
    aiSdkCodec,
    (message) => ({ ...message, providerOptions: { anthropic: { cacheControl } } }),
  ],
  [
    'a part of AI SDK',
    aiSdkCodec,
    (message) => ({
      ...message,
      content: blockOf((message as { content: unknown }).content, {
        providerOptions: { anthropic: { cacheControl } },
      }),
    }),
  ],
];

describe.each(ways)('cache marks on %s that move along', (_name, codec, mark) => {
  const marks = (messages: readonly unknown[]): number[] =>
    messages.flatMap((message, at) => (JSON.stringify(message).includes('ephemeral') ? [at] : []));
  const turn = (at: number): object[] => [
    { role: 'user', content: `Question ${at}: ${'why? '.repeat(60)}` },
    { role: 'assistant', content: `Answer ${at}: ${'because. '.repeat(60)}` },
  ];

  it.each([
    ['hands in everything anew', false],
    ['carries the last view forward', true],
  ])('stand where the client has them now, through compactions, where it %s', (_how, isCarried) => {
    let transcript: Transcript = openTranscript({ codec });
    let state = emptyState();
    let held: unknown[] = [];
    let sent: readonly unknown[] = [];
    let compactions = 0;
    for (let at = 0; at < 60; at += 1) {
      const [question, answer] = turn(at) as [object, object];
      const incoming = [...(isCarried ? sent.map(unmarked) : held), mark(question)];
      const asSent = isCarried && sent.length > 0 ? sent : undefined;
      const reconciled = reconcile(transcript, structuredClone(incoming), asSent);
      expect(reconciled.keptMessages).toBe(2 * at);
      ({ transcript } = reconciled);
      expect(transcript.conversation.entries.length).toBe(2 * at + 1);
      const step = prepare(transcript, state, policyOf(5_000));
      if (step.type !== 'ready') throw new Error(step.type);
      if (step.checkpoint) compactions += 1;
      expect(step.report.skippedChanges).toBe(0);
      const messages = renderView(transcript, step.view).messages.map(({ message }) => message);
      expect(marks(messages)).toEqual([messages.length - 1]);
      state = step.state;
      held = [...held, question, answer];
      ({ transcript } = reconcile(transcript, [...messages, answer], messages));
      sent = [...messages, answer];
    }
    expect(compactions).toBeGreaterThan(1);
  });

  /** The client takes its mark off again. */
  function unmarked(message: unknown): unknown {
    if (marks([message]).length === 0) return message;
    const { role, content } = message as { role: string; content: unknown };
    const [block] = Array.isArray(content) ? (content as { text: unknown }[]) : [];
    return { role, content: block?.text ?? content };
  }
});
