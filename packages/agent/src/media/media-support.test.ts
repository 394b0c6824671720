import {
  aiSdkCodec,
  anthropicCodec,
  convertMessages,
  openaiChatCodec,
  openaiResponsesCodec,
  sessionCodec,
} from '@throughline/core';
import { scriptedModelDriver } from '@throughline/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atUrl, inline, pngBytes } from '../../test/media-samples.ts';
import { adaptMessages, mediaSupportOf, withoutUnsupported } from './media-support.ts';
import type { Codec } from '@throughline/core';
import type { SessionMessage } from '@throughline/core/codec';
import type { ModelDriver } from '@throughline/ports';
import type { Part } from '../../test/media-samples.ts';

describe('adapt messages', () => {
  const shot = inline('image/png', pngBytes(8, 6), 'shot.png');
  const result = (callId: string, ...content: (typeof shot)[]): SessionMessage => ({
    id: callId,
    role: 'tool',
    parts: [{ type: 'result', callId, name: 'look', content: content as never }],
  });
  const said: SessionMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'And this?' }] };

  it('shows images of results behind the last result, and before what a user said then', () => {
    const support = mediaSupportOf(scriptedModelDriver([], openaiChatCodec));
    const adapted = adaptMessages([result('a', shot), result('b', shot), said], support, () => {
      throw new Error('everything is taken');
    });
    expect(adapted.map(({ role }) => role)).toEqual(['tool', 'tool', 'user', 'user']);
    expect(adapted[2]?.parts.slice(1)).toEqual([shot, shot]);
    expect(adapted[3]).toBe(said);
  });

  it('leaves messages alone that hold nothing to be lifted', () => {
    const support = mediaSupportOf(scriptedModelDriver([], openaiChatCodec));
    expect(adaptMessages([result('a'), said], support, () => {})).toEqual([result('a'), said]);
  });
});

describe('without unsupported', () => {
  const codecs: readonly Codec[] = [openaiChatCodec, openaiResponsesCodec, anthropicCodec, aiSdkCodec];
  const driverOf = (model: string, codec: Codec): ModelDriver => ({
    ...scriptedModelDriver([], codec),
    model,
  });
  const shot = inline('image/png', pngBytes(800, 600, 1_234_567), 'shot.png');
  const pdf = inline('application/pdf', Buffer.from('%PDF-1.7'), 'a.pdf');
  const sound = inline('audio/wav', Buffer.from('RIFF'));
  const user = (...parts: Part[]): SessionMessage => ({ id: 'u1', role: 'user', parts });
  const assistant = (...parts: Part[]): SessionMessage => ({ id: 'a1', role: 'assistant', parts });
  const toolResult = (...content: Extract<Part, { type: 'text' | 'media' }>[]): SessionMessage => ({
    id: 't1',
    role: 'tool',
    parts: [{ type: 'result', callId: 'c', name: 'look', content }],
  });
  const leftOf = (message: SessionMessage, model: string, codec: Codec): readonly string[] =>
    withoutUnsupported(message, mediaSupportOf(driverOf(model, codec))).left.map(({ error }) => error);

  const media = fc
    .record({
      mediaType: fc.oneof(
        fc.constantFrom(
          'image/png',
          'image/svg+xml',
          'application/pdf',
          'audio/wav',
          'video/mp4',
          'text/csv',
          'x',
        ),
        fc.string(),
      ),
      source: fc.oneof(
        fc.base64String({ maxLength: 40 }).map((data) => ({ type: 'base64' as const, data })),
        fc.constant(shot.source),
        fc.webUrl().map((url) => ({ type: 'url' as const, url })),
      ),
      filename: fc.string(),
    })
    .map((one): Part => ({ type: 'media', ...one }));
  const texts = fc.string({ minLength: 1 }).map((text): Part => ({ type: 'text', text }));
  const parts = fc.array(fc.oneof(media, texts), { maxLength: 5 });
  const message = fc.oneof(
    fc.tuple(fc.constantFrom(user, assistant), parts).map(([say, said]) => say(...said)),
    parts.map((said) => toolResult(...(said as never[]))),
  );
  const model = fc.constantFrom(
    'claude-opus-5',
    'gpt-5.5',
    'gemini-3.5-flash',
    'gpt-oss-20b',
    'nobody-knows-it',
  );

  describe('withoutUnsupported', () => {
    it('leaves nothing that the format would have to leave out', () => {
      fc.assert(
        fc.property(message, model, fc.constantFrom(...codecs), (said, name, codec) => {
          const shown = withoutUnsupported(said, mediaSupportOf(driverOf(name, codec))).message;
          const { losses } = convertMessages([sessionCodec.decode(shown, 0)], sessionCodec, codec);
          expect(losses).toEqual([]);
        }),
      );
    });

    it('keeps all positions and everything else, and changes nothing the second time', () => {
      fc.assert(
        fc.property(message, model, fc.constantFrom(...codecs), (said, name, codec) => {
          const support = mediaSupportOf(driverOf(name, codec));
          const before = structuredClone(said);
          const { message: shown, left } = withoutUnsupported(said, support);
          expect(said).toEqual(before);
          expect(shown === said).toBe(left.length === 0);
          const pieces = ({ parts: all }: SessionMessage): readonly unknown[] =>
            all.flatMap((part): readonly unknown[] => (part.type === 'result' ? part.content : [part]));
          pieces(shown).forEach((piece, index) => {
            const isLeft = left.some((one) => (one.piece ?? one.part) === index);
            if (isLeft)
              expect(piece).toMatchObject({ type: 'text', text: expect.stringMatching(/is not shown: /) });
            else expect(piece).toBe(pieces(said)[index]);
          });
          expect(pieces(shown)).toHaveLength(pieces(said).length);
          expect(withoutUnsupported(shown, support)).toEqual({ message: shown, left: [] });
          expect(withoutUnsupported(structuredClone(said), mediaSupportOf(driverOf(name, codec)))).toEqual({
            message: shown,
            left,
          });
          expect(JSON.parse(JSON.stringify(left))).toEqual(left);
        }),
      );
    });

    it('gives images to models that take them, in results too where the format can', () => {
      for (const codec of codecs) {
        const said = user({ type: 'text', text: 'look' }, shot);
        expect(leftOf(said, 'nobody-knows-it', codec)).toEqual([]);
      }
      for (const codec of [anthropicCodec, openaiResponsesCodec, aiSdkCodec])
        expect(leftOf(toolResult(shot), 'nobody-knows-it', codec)).toEqual([]);
      expect(leftOf(toolResult(shot), 'nobody-knows-it', openaiChatCodec)).toEqual([
        'image "shot.png" (image/png, 1.2 MB): the model\'s API takes no media in results of tools',
      ]);
    });

    it('names file, type, size and reason to the model, and all that is known to whoever asks', () => {
      const { message: shown, left } = withoutUnsupported(
        user({ type: 'text', text: 'see' }, shot),
        mediaSupportOf(driverOf('gpt-oss:20b', openaiChatCodec)),
      );
      expect(shown.parts).toEqual([
        { type: 'text', text: 'see' },
        {
          type: 'text',
          text: '[image "shot.png" (image/png, 1.2 MB) is not shown: this model takes no images]',
        },
      ]);
      expect(left).toEqual([
        {
          messageId: 'u1',
          place: 'user',
          part: 1,
          kind: 'image',
          mediaType: 'image/png',
          filename: 'shot.png',
          sizeBytes: 1_234_567,
          widthPx: 800,
          heightPx: 600,
          reason: 'no-images',
          error: 'image "shot.png" (image/png, 1.2 MB): this model takes no images',
        },
      ]);
    });

    it.each<[string, Codec, Part, string | undefined]>([
      ['claude-opus-5', anthropicCodec, pdf, undefined],
      ['gpt-5.5', openaiResponsesCodec, pdf, undefined],
      ['gemini-3.5-flash', aiSdkCodec, sound, undefined],
      ['nobody-knows-it', openaiChatCodec, sound, undefined],
      ['nobody-knows-it', anthropicCodec, sound, "the model's API takes no audio/wav"],
      ['gpt-5.5', openaiChatCodec, sound, 'this model takes no audio/wav'],
      ['gpt-oss-20b', openaiChatCodec, pdf, 'this model takes no application/pdf'],
      [
        'claude-opus-5',
        aiSdkCodec,
        inline('image/svg+xml', Buffer.from('<svg/>')),
        'this model takes no image/svg+xml',
      ],
      [
        'nobody-knows-it',
        openaiChatCodec,
        atUrl('application/pdf', 'https://example.org/a.pdf'),
        'it is taken only as data',
      ],
    ])('knows what %s takes by its provider and format', (name, codec, part, why) => {
      const reasons = leftOf(user(part), name, codec).map((error) => error.split('): ').at(-1));
      expect(reasons).toEqual(why === undefined ? [] : [why]);
    });

    it('leaves out images above the limits of the provider, in bytes as base64 and in pixels', () => {
      const most = (5 * 1024 * 1024 * 3) / 4;
      const claude = ['claude-sonnet-4-5', anthropicCodec] as const;
      expect(leftOf(user(inline('image/png', pngBytes(8_000, 8_000, most))), ...claude)).toEqual([]);
      expect(leftOf(user(inline('image/png', pngBytes(9, 9, most + 1))), ...claude)).toEqual([
        'image (image/png, 3.9 MB): an image may have 3.9 MB at most',
      ]);
      const wide = inline('image/png', pngBytes(20, 8_001));
      expect(leftOf(toolResult(wide), 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', aiSdkCodec)).toEqual([
        'image (image/png, 33 bytes): it has 20 × 8001 pixels, and 8000 a side are the most',
      ]);
      expect(leftOf(user(wide), 'a-newer-claude', anthropicCodec)).toHaveLength(1);
      expect(leftOf(user(wide), 'gpt-5.5', openaiResponsesCodec)).toEqual([]);
    });

    it('leaves out what is called an image and is none', () => {
      for (const codec of codecs)
        expect(
          leftOf(user(inline('image/png', Buffer.from('<html>502</html>'))), 'nobody-knows-it', codec),
        ).toEqual(['image (image/png, 16 bytes): its data are no image']);
    });

    it('knows of references what their type tells', () => {
      const stored = atUrl('image/png', '@blob:00');
      expect(leftOf(user(stored), 'claude-opus-5', anthropicCodec)).toEqual([]);
      expect(leftOf(user(stored), 'o3-mini', openaiResponsesCodec)).toEqual([
        'image (image/png): this model takes no images',
      ]);
    });

    it('believes what was learned of the model more than the catalogue', () => {
      const driver = driverOf('gpt-5.5', openaiResponsesCodec);
      expect(
        withoutUnsupported(user(shot), mediaSupportOf(driver, { takesImages: false })).left,
      ).toHaveLength(1);
    });
  });
});
