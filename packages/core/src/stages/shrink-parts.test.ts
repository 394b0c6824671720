import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aiSdkCodec } from '../codecs/ai-sdk/ai-sdk-codec.ts';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { charactersEstimator } from '../tokens/estimator.ts';
import { emptyState } from '../pass/state.ts';
import type { Transcript } from '../history/transcript.ts';
import { openTranscript } from '../history/transcript.ts';
import { agentRun, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { prepare } from '../context/prepare.ts';
import { renderView } from '../history/render-view.ts';
import type { Codec } from '../codecs/codec.ts';
import { levelWithin } from './shrink-parts.ts';

function sent(transcript: Transcript, windowTokens: number): unknown[] {
  const step = prepare(transcript, emptyState(), policyOf(windowTokens));
  if (step.type !== 'ready') throw new Error(step.type);
  return renderView(transcript, step.view).messages.map(({ message }) => message);
}

const open = (codec: unknown, messages: readonly unknown[]): Transcript =>
  openTranscript({ codec: codec as Codec, estimator: charactersEstimator }, messages);

/** The head of a PNG of this size: nothing else of it is read. */
function png(width: number, height: number): string {
  const bytes = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
  for (const side of [width, height]) bytes.push(0, 0, side >> 8, side & 255);
  return `${btoa(String.fromCharCode(...bytes))}${'A'.repeat(60)}`;
}

describe('a result without text', () => {
  it('that is an image keeps a note with its id when its share is too small for it', () => {
    const source = { type: 'base64', media_type: 'image/png', data: png(1_280, 1_000) };
    const transcript = open(anthropicCodec, [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 's', name: 'screenshot', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 's', content: [{ type: 'image', source }] }],
      },
    ]);
    const text = JSON.stringify(sent(transcript, 6_000).at(-1));
    expect(text).not.toContain('"image"');
    expect(text).toMatch(/\[shortened result m2\.0, .*\d+ tokens/);
  });

  it.each([
    ['head and tail of it', 40_000, /"id\\":0,.*shortened result m2\.0.*"id\\":7999/],
    ['its note', 2_000, /\[shortened result m2\.0/],
  ])('that is JSON keeps %s', (_, windowTokens, pattern) => {
    const rows = Array.from({ length: 8_000 }, (_unused, id) => ({ id, name: `n${id}` }));
    const transcript = open(aiSdkCodec, [
      { role: 'user', content: 'Query.' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'q', toolName: 'query', input: {} }] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'q',
            toolName: 'query',
            output: { type: 'json', value: { rows } },
          },
        ],
      },
    ]);
    expect(JSON.stringify(sent(transcript, windowTokens).at(-1))).toMatch(pattern);
  });
});

describe('a task or request with images', () => {
  const image = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${png(1_600, 1_200)}`, detail: 'high' },
  };
  const rules = 'NEVER touch config/prod.yaml. The brand colour is #AB12CD. Keep every form field.';
  const task = `Make the page look like these pictures. ${rules} ${'Mind the margins. '.repeat(12)}`;

  it('keeps its words whole when only the images are too much', () => {
    const content = [{ type: 'text', text: task }, ...Array.from({ length: 8 }, () => image)];
    const transcript = transcriptOf([{ role: 'user', content }, ...agentRun(60, 1_500).slice(2)]);
    const [first] = sent(transcript, 20_000);
    expect(JSON.stringify(first)).toContain(task);
  });

  it('keeps head and tail of its words when they are too much', () => {
    const long = `${task} ${'And all of this too. '.repeat(4_000)}The deadline is 2025-03-14.`;
    const content = [{ type: 'text', text: long }, image];
    const transcript = transcriptOf([{ role: 'user', content }, ...agentRun(60, 1_500).slice(2)]);
    const [first] = sent(transcript, 20_000);
    const text = JSON.stringify(first);
    expect(text).toContain(task);
    expect(text).toContain('[shortened text m0.0');
    expect(text).toContain('The deadline is 2025-03-14.');
  });
});

describe('levelWithin', () => {
  it('cuts nothing when everything fits', () => {
    expect(levelWithin([1, 2, 3], 6)).toBe(Infinity);
    expect(levelWithin([], 0)).toBe(Infinity);
  });

  it('lets small items keep all they need', () => {
    expect(levelWithin([10, 100, 100], 110)).toBe(50);
  });

  it('never hands out more than the room', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10_000)), fc.nat(50_000), (sizes, room) => {
        const level = levelWithin(sizes, room);
        const used = sizes.reduce((sum, size) => sum + Math.min(size, level), 0);
        expect(used).toBeLessThanOrEqual(Math.max(room, 0));
      }),
    );
  });
});

describe('what a client has put into the first request', () => {
  const rule = 'Never touch billing.ts.';
  const body = Array.from({ length: 800 }, (_, at) => `let variable${at} = ${at};`).join('\n');
  const attached = `<path>/app/a.ts</path>\n<type>file</type>\n<content>\n${body}\n</content>`;
  const run = (content: unknown): unknown[] => [
    { role: 'user', content },
    ...Array.from({ length: 60 }, (_, at) => [
      { role: 'assistant', content: `Step ${at}. ${'What comes next depends on it. '.repeat(20)}` },
      { role: 'user', content: `Go on with ${at}.` },
    ]).flat(),
  ];

  it.each([
    [
      'as a text of its own',
      [
        { type: 'text', text: `${rule} Read it.` },
        { type: 'text', text: attached },
      ],
    ],
    ['into the words', `${rule}\n<file name="a.ts">\n${body}\n</file>\nRead it.`],
    ['as a listing', `${rule}\n\`\`\`\n${body}\n\`\`\`\nRead it.`],
  ])('is cut to head and tail before a compaction, and no word of the user: %s', (_, content) => {
    const transcript = open(anthropicCodec, run(content));
    const step = prepare(transcript, emptyState(), {
      ...policyOf(200_000),
      budget: { windowTokens: 200_000, thresholdTokens: 10_000 },
    });
    if (step.type !== 'ready') throw new Error(step.type);
    const [task, ...others] = renderView(transcript, step.view).messages.map(({ message }) => message);
    const text = JSON.stringify(task);
    expect(text).toContain(rule);
    expect(text).toContain('Read it.');
    expect(text).toContain('let variable0 =');
    expect(text).toContain('let variable799 =');
    expect(text).toMatch(/\[shortened text m0\.\d/);
    expect(text.replaceAll('\\n', ' ').length / 4).toBeLessThan(2_100);
    expect(JSON.stringify(others)).toContain('USER: Go on with 3');
  });

  it('stays where there is room', () => {
    const transcript = open(
      anthropicCodec,
      run(`${rule}\n<file name="a.ts">\n${body.slice(0, 2_000)}\n</file>`),
    );
    expect(JSON.stringify(sent(transcript, 30_000)[0])).not.toContain('shortened');
  });
});
