import { expect, it } from 'vitest';
import {
  anthropicCodec,
  appendMessages,
  scriptAwareEstimator,
  createStrategy,
  emptyState,
  openTranscript,
  prepare,
  renderView,
} from '@throughline/core';

const system = 'You take care of the harbour. '.repeat(1_400);
const windowTokens = 32_000;

/** About 300 tokens that say something else each time. */
function request(at: number): string {
  const places = Array.from(
    { length: 32 },
    (_, index) => `pier-${at * 61 + index * 7} before berth ${index}`,
  );
  return `Request ${at}: look after ${places.join(', ')}.`;
}

function step(at: number): unknown[] {
  const output = `entry ${at} of the log of the harbour\n`.repeat(120 + (at % 5) * 40);
  return [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `Part ${at} comes next.` },
        { type: 'tool_use', id: `call_${at}`, name: 'bash', input: { command: `tail -n 200 log-${at}` } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `call_${at}`, content: output }] },
  ];
}

it('the user’s words stand word for word up to 15 % of the trigger, however much system text there is', () => {
  const policy = { strategy: createStrategy('reactive-overflow'), budget: { windowTokens } };
  const requests = Array.from({ length: 11 }, (_, at) => request(at));
  let transcript = openTranscript({ codec: anthropicCodec, estimator: scriptAwareEstimator, system });
  let state = emptyState();
  let rounds = 0;
  let said = 0;
  for (let at = 0; at < 55; at += 1) {
    const words = at % 5 === 0 ? [{ role: 'user', content: requests[said] }] : [];
    said += words.length;
    transcript = appendMessages(transcript, [...words, ...step(at)]);
    const prepared = prepare(transcript, state, policy);
    if (prepared.type !== 'ready') throw new Error(`${prepared.type} at ${at}`);
    ({ state } = prepared);
    rounds += prepared.checkpoint ? 1 : 0;
    const sent = JSON.stringify(renderView(transcript, prepared.view).messages);
    expect(
      requests.slice(0, said).filter((text) => !sent.includes(text)),
      `at ${at}`,
    ).toEqual([]);
  }
  expect(rounds).toBeGreaterThan(3);
});

const corrections = [
  'Correction: the garden is 340 m², not 400.',
  'Never propose anything toxic, we have a dog.',
  'Bitte doch lieber Eiche statt Granit, Granit ist uns zu kalt.',
  '宣伝のメールは一切送らないでください。',
  'すみません、訂正です。3月4日ではなく3月6日でした。',
  'تصحيح مهم: السفر يوم 12 وليس 9.',
  'שבת אסור לנסוע!',
];

it('short corrections and prohibitions outlast whatever else the user says, over many rounds and in any script', () => {
  const policy = { strategy: createStrategy('reactive-overflow'), budget: { windowTokens: 12_000 } };
  let transcript = openTranscript({ codec: anthropicCodec, estimator: scriptAwareEstimator });
  let state = emptyState();
  let rounds = 0;
  const chat = (at: number): string =>
    corrections[at / 3 - 1] ?? `And what about plant ${at}? ${request(at)}`;
  for (let at = 0; at < 160; at += 1) {
    const content = `Plant ${at} likes the shade of wall ${at * 7}, and some water in the evening. ${request(at + 1_000)}`;
    const answer = at === 159 ? [] : [{ role: 'assistant', content }];
    transcript = appendMessages(transcript, [{ role: 'user', content: chat(at) }]);
    const prepared = prepare(transcript, state, policy);
    if (prepared.type !== 'ready') throw new Error(`${prepared.type} at ${at}`);
    ({ state } = prepared);
    rounds += prepared.checkpoint ? 1 : 0;
    if (at === 159) {
      const sent = JSON.stringify(renderView(transcript, prepared.view).messages);
      expect(corrections.filter((text) => !sent.includes(text))).toEqual([]);
    }
    transcript = appendMessages(transcript, answer);
  }
  expect(rounds).toBeGreaterThan(8);
});
