import { appendMessages, openTranscript } from '../history/transcript.ts';
import { charactersEstimator } from '../tokens/estimator.ts';
import { describe, expect, it } from 'vitest';
import { emptyState } from './state.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { policyOf, readyOf } from '../../test/chat-history.ts';
import { prepare } from '../context/prepare.ts';
import { recall } from '../history/recall.ts';
import { renderView } from '../history/render-view.ts';
import type { Ready } from '../context/step.ts';

const windowTokens = 4_096;
const usableTokens = 2_909;

const tool = (name: string, tokens: number): unknown => ({
  type: 'function',
  function: { name, description: 'take care '.repeat(tokens * 0.4), parameters: {} },
});

/** Turns of a chat whose system text and tools take a share of what is usable. */
function chat(share: number, turns = 25): readonly Ready[] {
  const system = 'take care '.repeat(160);
  const tools = [tool('grep', 300), tool('bash', usableTokens * share - 900), tool('edit', 80)];
  let transcript = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator, system, tools });
  let state = emptyState();
  return Array.from({ length: turns }, (_, turn) => {
    const words = `Turn ${turn}: what of the harbour, and where does item-${turn * 37} lie? `;
    transcript = appendMessages(transcript, [{ role: 'user', content: words.repeat(4) }]);
    const step = prepare(transcript, state, policyOf(windowTokens));
    if (step.type !== 'ready') throw new Error(step.type);
    state = step.state;
    transcript = appendMessages(transcript, [{ role: 'assistant', content: `It lies there. ${words}` }]);
    return step;
  });
}

const passes = (steps: readonly Ready[]): readonly Ready[] => steps.filter(({ checkpoint }) => checkpoint);

describe('where system text and tools take most of the room', () => {
  it.each([
    [0.5, 3],
    [0.67, 6],
    [0.75, 9],
  ])(
    'of %d of what is usable, room is made seldom and then deeply: at most %i times in 25 turns',
    (share, most) => {
      const made = passes(chat(share));
      expect(made.length).toBeGreaterThan(0);
      expect(made.length).toBeLessThanOrEqual(most);
      for (const { report } of made) {
        const roomTokens = usableTokens * (1 - share);
        expect(report.tokens.before - report.tokens.final).toBeGreaterThan(roomTokens * 0.4);
      }
    },
  );

  it('says once what is in the way, with the biggest parts, and what to do', () => {
    const warnings = chat(0.67).flatMap(({ report }) => report.warnings);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^System text and tools take 19\d\d of the 2909 usable tokens \(6[67] %\)/);
    expect(warnings[0]).toMatch(/The biggest parts: bash 1\d\d\d, system text 4\d\d, grep 3\d\d, edit \d+\./);
    expect(warnings[0]).toContain('Switch off tools');
  });

  it('names the notes that take the room', () => {
    const options = { codec: openaiChatCodec, estimator: charactersEstimator };
    const turns = Array.from({ length: 40 }, (_, turn) => [
      { role: 'user', content: `Turn ${turn}: what of the harbour? `.repeat(3) },
      { role: 'assistant', content: `Item ${turn} lies there. `.repeat(3) },
    ]).flat();
    const notes = ['what is known of the harbour '.repeat(240)];
    const step = prepare(openTranscript(options, turns), emptyState(), policyOf(windowTokens), { notes });
    expect(readyOf(step).report.warnings).toEqual([
      expect.stringMatching(
        /^System text, notes and tools take 17\d\d of .* The biggest parts: notes 17\d\d\. /,
      ),
    ]);
  });

  it('counts the system messages in the history, too', () => {
    const rules = { role: 'system', content: 'Take care of the harbour. '.repeat(330) };
    const open = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator });
    const turns = Array.from({ length: 12 }, (_, turn) => [
      { role: 'user', content: `Turn ${turn}: what of the harbour? `.repeat(8) },
      { role: 'assistant', content: `Item ${turn} lies there. `.repeat(8) },
    ]).flat();
    const transcript = appendMessages(open, [...turns.slice(0, 2), rules, ...turns.slice(2)]);
    const step = prepare(transcript, emptyState(), policyOf(windowTokens));
    expect(step.type === 'ready' && step.report.warnings).toEqual([
      expect.stringMatching(
        /^System text, system messages and tools take 2\d\d\d of the 2909 .* The biggest parts: system messages 2\d\d\d\./,
      ),
    ]);
  });

  it('archives system messages that are said again, word for word, and sends the newest', () => {
    const rules = (at: number): unknown => ({
      role: 'system',
      content: `Take care of the harbour. ${at < 0 ? 'Only plan.' : ''} `.repeat(100),
    });
    const turns = Array.from({ length: 12 }, (_, turn) => [
      rules(turn === 4 ? -1 : turn),
      { role: 'user', content: `Turn ${turn}: what of the harbour? `.repeat(8) },
      { role: 'assistant', content: `Item ${turn} lies there. `.repeat(8) },
    ]).flat();
    const open = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator });
    const transcript = appendMessages(open, [
      { role: 'system', content: 'You are an agent.' },
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hello.' },
      ...turns,
    ]);
    const step = readyOf(prepare(transcript, emptyState(), policyOf(windowTokens)));
    const sent = renderView(transcript, step.view).messages;
    const systems = sent.flatMap(({ message, ordinal }) =>
      (message as { role: string }).role === 'system' ? [ordinal] : [],
    );
    expect(systems).toContain(0);
    // The only one of its kind, and the newest of the others; what the tail holds stays.
    expect(systems).toContain(15);
    expect(systems).toContain(36);
    expect(systems.filter((ordinal) => (ordinal ?? 0) < 25)).toEqual([0, 15]);
    expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.usableTokens);
    expect(recall(transcript, 'm3')?.text).toContain('Take care of the harbour.');
  });

  it('keeps the last of equal system messages in a range where the next one stands behind it: a rewind may take that away', () => {
    const options = { codec: openaiChatCodec, estimator: charactersEstimator };
    const rules = { role: 'system', content: 'Never delete anything of the harbour. '.repeat(4) };
    const turns = Array.from({ length: 12 }, (_, turn) => [
      { role: 'user', content: `Turn ${turn}: what of the harbour? `.repeat(20) },
      { role: 'assistant', content: `Item ${turn} lies there. `.repeat(20) },
    ]).flat();
    const history = [...turns.slice(0, 4), rules, ...turns.slice(4, 6), rules, ...turns.slice(6)];
    const later = [
      { role: 'user', content: 'And now?' },
      rules,
      { role: 'assistant', content: 'All is well.' },
    ];
    const policy = policyOf(windowTokens);
    const step = readyOf(
      prepare(
        openTranscript(options, [...history, ...later, { role: 'user', content: 'Go on.' }]),
        emptyState(),
        policy,
      ),
    );
    const edited = openTranscript(options, [...history, { role: 'user', content: 'Something else?' }]);
    const again = readyOf(prepare(edited, step.state, policy));
    const sent = JSON.stringify(renderView(edited, again.view).messages);
    expect(sent).toContain('Record kept by the context manager');
    expect(sent.split(rules.content)).toHaveLength(2);
  });

  it('shows a task that takes the trigger by its head and tail: the timeline has its room, and the trigger holds', () => {
    const open = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator });
    const policy = { ...policyOf(200_000), budget: { windowTokens: 200_000, thresholdTokens: 4_000 } };
    const listing = Array.from({ length: 600 }, (_, line) => `${line}: the pier of item-${line}`).join('\n');
    const turns = Array.from({ length: 30 }, (_, turn) => [
      { role: 'assistant', content: `The reason is that pier ${turn} was not found. `.repeat(6) },
      { role: 'user', content: `Turn ${turn}: what of the harbour?` },
    ]).flat();
    const task = { role: 'user', content: `Mend the harbour.\n${listing}\nThen hand it in.` };
    const transcript = appendMessages(open, [task, ...turns]);
    const step = readyOf(prepare(transcript, emptyState(), policy));
    const [first, record] = renderView(transcript, step.view).messages.map(({ message }) =>
      JSON.stringify(message),
    );
    expect(step.report.tokens.final).toBeLessThanOrEqual(4_000);
    expect(first).toMatch(/Mend the harbour\.[^]*\[shortened text m0\.0,[^]*Then hand it in\./);
    expect(record).toContain('The reason is that pier 20 was not found.');
    expect(recall(transcript, 'm0')?.text).toContain('300: the pier');
  });

  it('leaves the words of the user and the state their room above a trigger that what is fixed exceeds', () => {
    const open = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator });
    const policy = { ...policyOf(200_000), budget: { windowTokens: 200_000, thresholdTokens: 4_000 } };
    let transcript = appendMessages(open, [
      { role: 'user', content: 'Plan the harbour.' },
      { role: 'system', content: 'Take care of the harbour. '.repeat(1_000) },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'Only give me suggestions, do not change my files.' },
    ]);
    let state = emptyState();
    let sent = '';
    let passed = 0;
    for (let turn = 0; turn < 20; turn += 1) {
      transcript = appendMessages(transcript, [
        { role: 'assistant', content: `Item ${turn} lies there. `.repeat(20) },
        { role: 'user', content: `Turn ${turn}: what of the harbour?` },
      ]);
      const step = readyOf(prepare(transcript, state, policy));
      state = step.state;
      passed += step.checkpoint ? 1 : 0;
      sent = JSON.stringify(renderView(transcript, step.view).messages);
    }
    expect(sent).toContain('Only give me suggestions, do not change my files.');
    expect(sent).toContain('## State');
    expect(passed).toBeLessThan(15);
  });

  it('goes on saying that the target cannot be reached where system messages come to take the room', () => {
    const open = openTranscript({ codec: openaiChatCodec });
    const rules = new Map([
      [3, 'Take care of the harbour. '.repeat(420)],
      [30, 'Mind the tide and the pier. '.repeat(210)],
    ]);
    let transcript = open;
    let state = emptyState();
    const warnings: string[] = [];
    for (let turn = 0; turn < 60; turn += 1) {
      const rule = rules.get(turn);
      transcript = appendMessages(transcript, [
        ...(rule === undefined ? [] : [{ role: 'system', content: rule }]),
        {
          role: 'user',
          content: `Turn ${turn}: what of the harbour, and where does item-${turn} lie? `.repeat(4),
        },
      ]);
      const step = prepare(transcript, state, policyOf(6_000));
      if (step.type !== 'ready') throw new Error(step.type);
      state = step.state;
      warnings.push(...step.report.warnings);
      transcript = appendMessages(transcript, [{ role: 'assistant', content: `Item ${turn} lies there. ` }]);
    }
    expect(warnings.filter((text) => text.startsWith('System text'))).toHaveLength(1);
    expect(warnings.filter((text) => text.startsWith('The target')).length).toBeGreaterThan(0);
  });

  it('says nothing where most of the room is the conversation’s', () => {
    const warnings = chat(0.4, 60).flatMap(({ report }) => report.warnings);
    expect(warnings.filter((text) => text.startsWith('System text'))).toEqual([]);
  });
});
