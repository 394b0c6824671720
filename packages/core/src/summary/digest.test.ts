import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anyEntries,
  assistant,
  hostileText,
  limitsOf,
  perFour,
  source,
  step,
  uneven,
  user,
} from '../../test/summary/builders.ts';
import { cms } from './profiles/cms.ts';
import { coding } from './profiles/coding.ts';
import { collectRecord } from './collect-record.ts';
import { digest } from './digest.ts';
import { ownProfile } from './profiles/find-profile.ts';

const limits = limitsOf(4_000);

describe('digest', () => {
  const entries = [
    user(1, 'Fix the parser'),
    assistant(2, 'I look at the tests first.'),
    ...step(3, 'Bash', { command: 'npm test' }, 'Exit code: 1\nAssertionError: expected 3 | got 4', true),
    assistant(
      5,
      'The cause is an off-by-one in `next()`. I decided to keep the old API because plugins use it.',
    ),
    ...step(6, 'Edit', { file_path: 'src/parser.ts', old_string: 'a', new_string: 'b' }, 'ok'),
    ...step(8, 'Bash', { command: 'npm test' }, 'Exit code: 0\n12 passed'),
    assistant(10, 'All green.\n\nNext I will update the changelog.\n- [ ] changelog'),
  ];

  it('tells what was done, decided and left, with commands, exit codes and errors', () => {
    expect(digest(source(entries), limits)).toMatchInlineSnapshot(`
      "## Completed Work
      | File/Component | Action | Description |
      |---|---|---|
      | src/parser.ts | Edit | The cause is an off-by-one in \`next()\`. I decided to keep the old API because plugins use it.; m7 |
      | npm test | ran ×2 | exit 0: 12 passed; I look at the tests first.; m9 |

      ## Key Technical Decisions
      - The cause is an off-by-one in \`next()\`. (m5)
      - I decided to keep the old API because plugins use it. (m5)
      - All green. (m10)

      ## Current State
      - Bash npm test (m4): failed: AssertionError: expected 3 | got 4
      - Edit src/parser.ts a (m7): ok: ok
      - Bash npm test (m9): ok: 12 passed
      - **Asked last** (m1): Fix the parser
      - **Last said** (m10): All green. / Next I will update the changelog. - [ ] changelog

      ## Pending Work
      - [ ] changelog
      - [ ] (said) Next I will update the changelog.

      ## Errors & Resolutions
      - Bash (m4): AssertionError: expected 3 | got 4"
    `);
  });

  it('merges the previous prose instead of writing a second one', () => {
    const first = digest(source(entries), limits);
    const previous = { ...collectRecord(source(entries), limits), prose: first };
    const second = digest(
      source(step(20, 'Bash', { command: 'npm run lint' }, 'clean'), { previous }),
      limits,
    );
    expect(second.match(/## Completed Work/g)).toHaveLength(1);
    expect(second).toContain('src/parser.ts');
    expect(second).toContain('npm run lint');
    expect(second.match(/^\|---/gm)).toHaveLength(1);
  });

  it('keeps sections of the previous prose that the profile does not know', () => {
    const previous = {
      ...collectRecord(source([]), limits),
      prose: '## Palette\n- blue\n\n## Design and Tone\n- warm',
    };
    const text = digest(source([assistant(3, 'ok then')], { previous }), limits, cms);
    expect(text).toContain('## Palette\n- blue');
    expect(text).toContain('## Design and Tone\n- warm');
  });

  it('uses the coding sections where the profile is a prompt', () => {
    expect(digest(source(entries), limits, ownProfile('mine', 'Write a poem.'))).toBe(
      digest(source(entries), limits, coding),
    );
  });

  it('works in languages it has no words for', () => {
    const text = digest(source([user(1, 'แก้ไขบั๊ก'), assistant(2, 'เสร็จแล้ว ทดสอบผ่านทั้งหมด')]), limits);
    expect(text).toContain('เสร็จแล้ว');
  });

  it('is never empty, never too long, well-formed and deterministic', () => {
    fc.assert(
      fc.property(
        anyEntries,
        hostileText,
        fc.integer({ min: 1, max: 2_000 }),
        fc.constantFrom(perFour, uneven),
        (all, prose, tokens, estimator) => {
          const bound = { ...limitsOf(tokens * 3, estimator), proseTokens: tokens };
          const previous = { ...collectRecord(source([]), bound), prose };
          const input = source(all, { previous });
          const text = digest(input, bound);
          expect(text.trim()).not.toBe('');
          if (tokens > 2) expect(estimator.count(text)).toBeLessThanOrEqual(tokens);
          expect(text.isWellFormed()).toBe(true);
          expect(digest(input, bound)).toBe(text);
        },
      ),
      { numRuns: 80 },
    );
  });
});
