import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { charactersEstimator } from '../tokens/estimator.ts';
import { emptyState } from '../pass/state.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { openTranscript } from '../history/transcript.ts';
import { openPass } from '../pass/pass.ts';
import { policyOf } from '../../test/chat-history.ts';
import { prepare } from '../context/prepare.ts';
import { renderView } from '../history/render-view.ts';
import { stringBytes, wireSize } from './wire-size.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Policy } from '../pass/policy.ts';
import type { Transcript } from '../history/transcript.ts';

const tinyPng = 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAAElFTkSuQmCC';
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: tinyPng } };

function screenshots(text: string): Transcript {
  const messages: unknown[] = [{ role: 'user', content: 'Look.' }];
  for (let index = 0; index < 6; index += 1) {
    messages.push(
      { role: 'assistant', content: [{ type: 'tool_use', id: `t${index}`, name: 'shot', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: `t${index}`, content: [{ type: 'text', text }, image] },
        ],
      },
    );
  }
  return openTranscript({ codec: anthropicCodec as Codec, estimator: charactersEstimator }, messages);
}

function sent(transcript: Transcript, policy: Policy): string {
  const step = prepare(transcript, emptyState(), policy);
  if (step.type !== 'ready') throw new Error(step.type);
  return JSON.stringify(renderView(transcript, step.view).messages.map(({ message }) => message));
}

const images = (text: string): number => text.match(/"type":"image"/g)?.length ?? 0;
/** Bytes in UTF-8, written apart from the code under test. */
const utf8 = (text: string): number => encodeURIComponent(text).replace(/%../g, 'x').length;

describe('limits on the request as a whole', () => {
  it('takes away images that cost less than their note, where there are too many', () => {
    const text = sent(screenshots('ok'), { ...policyOf(200_000), wire: { maxMedia: 2 } });
    expect(images(text)).toBe(2);
    expect(text.match(/\[dropped media/g)).toHaveLength(4);
    expect(text.match(/"ok/g)).toHaveLength(6);
  });

  it('takes away the images of results that were truncated before', () => {
    const policy: Policy = {
      ...policyOf(1_000_000),
      wire: { maxMedia: 2 },
      limitsOf: () => ({ maxOutputChars: 2_000 }),
    };
    const text = sent(screenshots('line of output\n'.repeat(4_000)), policy);
    expect(images(text)).toBe(2);
    expect(text).toContain('left out');
  });

  it('leaves pinned images in their place', () => {
    const text = sent(screenshots('ok'), { ...policyOf(200_000), wire: { maxMedia: 2 }, pins: [2] });
    expect(images(text)).toBe(2);
    expect(text.indexOf('"type":"image"')).toBeLessThan(text.indexOf('[dropped media'));
  });

  it('counts bytes in UTF-8 as they stand in JSON', () => {
    const character = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      fc.constantFrom('\n', '\0', '"'),
    );
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 200 }), (text) => {
        expect(stringBytes(text)).toBe(utf8(JSON.stringify(text)) - 2);
      }),
    );
  });

  it.each([['plain words '], ['漢字とかな'], ['"quoted"\n\t\\path\\'], ['🙂🙃']])(
    'weighs a history near what it weighs on the wire: %s',
    (piece) => {
      const messages = [
        { role: 'user', content: piece.repeat(2_000) },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'a',
              type: 'function',
              function: { name: 'write', arguments: JSON.stringify({ body: piece.repeat(900) }) },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: piece.repeat(500) },
      ];
      const transcript = openTranscript({ codec: openaiChatCodec as Codec }, messages);
      const { bytes } = wireSize(openPass(transcript, emptyState(), policyOf(2_000_000)).view);
      const real = utf8(JSON.stringify(messages));
      expect(Math.abs(bytes - real)).toBeLessThan(real * 0.02 + 200);
    },
  );
});
