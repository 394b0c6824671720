/**
 * A summary profile of your own: what a model is asked, and what stands in the context afterwards. The model is a
 * stand-in with one answer, so that the example runs without a key.
 */
import {
  compact,
  createStrategy,
  openaiChatCodec,
  openTranscript,
  ownProfile,
  renderView,
  resume,
} from '@throughline/core';
import { readFileSync } from 'node:fs';
import type { ModelRequest, Policy, Profile } from '@throughline/core';

const supportDesk: Profile = {
  name: 'support-desk',
  sections: [
    { heading: 'Customer', hint: 'Who is asking, with customer number, plan and contact; what they want.' },
    { heading: 'What Was Tried', hint: 'A table: Step, Result; oldest first.' },
    { heading: 'Promises', hint: 'What was promised, by whom, until when.' },
    { heading: 'Now', hint: 'What is being done right now, and what was done last.' },
    { heading: 'Next', hint: 'A checklist (`- [ ]`) of what is still to do, in order.' },
  ],
  rules: ['Keep customer, ticket and order numbers and amounts exactly.'],
};

/** The same as a prompt in a file: what `--profile-file` of the command line reads. */
const fromFile = ownProfile(
  'support-desk.md',
  readFileSync(new URL('support-desk.md', import.meta.url), 'utf8'),
);

const messages = [
  { role: 'user', content: 'Customer 88412 was charged twice for order A-1093. Refund one of them.' },
  ...Array.from({ length: 12 }, (_, turn) => lookUp(turn)).flat(),
  { role: 'assistant', content: 'I promised Ms Okafor the refund of 49.90 EUR by Friday.' },
  { role: 'user', content: 'Good. Now tell accounting.' },
];

for (const profile of [supportDesk, fromFile]) show(profile);

function show(profile: Profile): void {
  const policy: Policy = {
    strategy: createStrategy('reactive-overflow'),
    budget: { windowTokens: 16_000 },
    summariser: { type: 'model', windowTokens: 128_000 },
    profile,
  };
  const transcript = openTranscript({ codec: openaiChatCodec }, messages);
  let step = compact(transcript, policy);
  while (step.type === 'model-needed') {
    const { system, messages: asked } = step.request;
    console.log(
      `── ${profile.name}: asked\n${system}\n…\n${asked[0]?.content.split('</history>')[1]?.trim()}`,
    );
    step = resume(transcript, step.paused, policy, {
      type: 'text',
      text: answerTo(step.request),
      finish: 'stop',
    });
  }
  if (step.type !== 'ready') throw new Error(step.type);
  const { summariser, tokens } = step.report;
  console.log(`── ${profile.name}: ${tokens.before} -> ${tokens.final} tokens, ${summariser.calls} calls`);
  console.log(`code took over: ${summariser.fallback ?? 'no'}`);
  const written = renderView(transcript, step.view).messages.filter(({ source }) => source === 'written');
  for (const { message } of written) console.log((message as { content: string }).content);
}

/** What a model would write. */
function answerTo({ purpose }: ModelRequest): string {
  if (purpose !== 'summary') throw new Error(purpose);
  return [
    '## Customer\nMs Okafor, customer 88412; charged twice for order A-1093.',
    '## What Was Tried\n| Step | Result |\n|---|---|\n| looked up payments | two of 49.90 EUR |',
    '## Promises\n- Refund of 49.90 EUR by Friday.',
    '## Next\n- [ ] Tell accounting.',
  ].join('\n\n');
}

function lookUp(turn: number): unknown[] {
  const id = `call_${turn}`;
  const input = JSON.stringify({ page: turn, order: 'A-1093' });
  const call = { id, type: 'function', function: { name: 'payments', arguments: input } };
  const rows = `payment ${turn + 7_000}: order A-1093, 49.90 EUR, card ending 4417, captured\n`.repeat(20);
  return [
    { role: 'assistant', content: `Looking at page ${turn} of the payments.`, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: rows },
  ];
}
