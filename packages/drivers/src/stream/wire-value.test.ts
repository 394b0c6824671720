import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArguments, sendableInput, sendableText } from './wire-value.ts';

describe('parseArguments', () => {
  it.each([
    ['{"path":"a"}', { path: 'a' }],
    ['', {}],
    [' \n', {}],
    ['{}', {}],
  ])('reads %j', (text, input) => {
    expect(parseArguments(text)).toEqual({ input, inputText: text, isInvalid: false });
  });

  it.each(['{"path":', 'null', '[]', '"text"', '3', '{"a":1}{"b":2}'])(
    'says that %j is no object',
    (text) => {
      expect(parseArguments(text)).toEqual({ input: text, inputText: text, isInvalid: true });
    },
  );

  it('makes an object that can be sent of any text, and leaves what is one as it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const parsed = parseArguments(text);
        const sent = sendableText(parsed);
        expect(JSON.parse(sent)).toEqual(JSON.parse(JSON.stringify(sendableInput(parsed))));
        if (!parsed.isInvalid && text.trim() !== '') expect(sent).toBe(text);
        if (parsed.isInvalid) expect(sendableInput(parsed)).toEqual({ INVALID_JSON: text });
      }),
    );
  });
});
