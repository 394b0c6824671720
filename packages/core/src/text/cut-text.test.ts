import { describe, expect, it } from 'vitest';
import { splitSentences } from './cut-text.ts';

describe('splitSentences', () => {
  it.each([
    ['Map each kind (e.g. `inviteMember`) to an alias. Then send.', 2],
    ['Use files, i.e. no server. Stop.', 2],
    ['Speed vs. size: size wins. Done.', 2],
    ['Das gilt z. B. hier, d. h. immer. Gut.', 2],
    ['See Fig. 3 and No. 5 of approx. 20. That is all. No. I did not.', 3],
    ['Icons, fonts etc. are copied. Icons, fonts, etc. The rest stays.', 3],
    ['It costs 5 e.g.', 1],
    ['決めました。次に進みます。', 2],
  ])('%s', (text, sentences) => {
    const pieces = splitSentences(text);
    expect(pieces).toHaveLength(sentences);
    expect(pieces.join('')).toBe(text);
  });
});
