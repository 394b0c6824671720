import fc from 'fast-check';
import { advance, startSummaryJob } from './summary-job.ts';
import {
  anyEntries,
  assistant,
  hostileText,
  limitsOf,
  perFour,
  source,
  step,
  user,
} from '../../test/summary/builders.ts';
import { coding } from './profiles.ts';
import { collectSummary } from './collect-summary.ts';
import { describe, expect, it } from 'vitest';
import type { Answer, ModelRequest } from './model-request.ts';
import type { SummarySource, SummaryLimits } from './collect-summary.ts';
import type { SummaryStep } from './summary-job.ts';

const good = (mark = ''): Answer => ({
  type: 'text',
  text: `## Completed Work\n- Worked on the parser and its tests for a good while ${mark}. ${'It went on. '.repeat(8)}`,
  finish: 'stop',
  usage: { inputTokens: 100, outputTokens: 10 },
});

interface Run {
  readonly last: Exclude<SummaryStep, { type: 'ask' }>;
  readonly requests: readonly ModelRequest[];
}

/** Plays a script of answers; the job goes through JSON at every step. Throws when asked once too often. */
function run(source: SummarySource, limits: SummaryLimits, answers: Iterable<Answer>): Run {
  const from = { source, limits };
  const script = answers[Symbol.iterator]();
  const requests: ModelRequest[] = [];
  let next = advance(from, startSummaryJob(from, coding));
  while (next.type === 'ask') {
    requests.push(next.request);
    const answer = script.next();
    if (answer.done === true) throw new Error('asked once too often');
    next = advance(from, JSON.parse(JSON.stringify(next.job)) as typeof next.job, answer.value);
  }
  return { last: next, requests };
}

function* forever(answer: Answer): Generator<Answer> {
  for (;;) yield answer;
}

const long = (count: number): SummarySource =>
  source(
    Array.from({ length: count }, (_, index) =>
      assistant(index + 1, `step ${index} ${'of the long work '.repeat(60)}`),
    ),
  );
const limits = limitsOf(4_000);
const tokensOf = ({ system, messages }: ModelRequest): number =>
  perFour.count(system) + messages.reduce((sum, { content }) => sum + perFour.count(content), 0);

describe('advance', () => {
  it('asks once for a short history and takes the answer', () => {
    const { last, requests } = run(long(10), limits, [good()]);
    expect(last).toMatchObject({
      type: 'written',
      by: 'model',
      calls: 1,
      usage: { inputTokens: 100, outputTokens: 10 },
    });
    expect(requests[0]).toMatchObject({
      purpose: 'summary',
      temperature: 0.3,
      maxOutputTokens: limits.proseTokens,
    });
  });

  it('walks a long history in chunks that fit, each carrying the draft before it', () => {
    const small = { ...limits, summariserTokens: 6_000 };
    const answers = Array.from({ length: 8 }, (_, index) => good(`draft ${index}`));
    const { last, requests } = run(long(60), small, answers);
    expect(last).toMatchObject({ type: 'written', by: 'model' });
    expect(requests.length).toBeGreaterThan(2);
    for (const request of requests) expect(tokensOf(request)).toBeLessThanOrEqual(6_000);
    expect(requests[0]?.messages[0]?.content).not.toContain('<previous_summary>\n');
    expect(requests[1]?.messages[0]?.content).toContain('draft 0');
    const all = requests.map(({ messages }) => messages[0]?.content ?? '').join('');
    for (let index = 1; index <= 60; index++) expect(all).toContain(`<message id="m${index}"`);
  });

  it('shows less of each message rather than asking more than 8 times', () => {
    const small = { ...limits, summariserTokens: 5_000 };
    const { last, requests } = run(long(400), small, forever(good()));
    expect(last.type).toBe('written');
    expect(requests.length).toBeLessThanOrEqual(8);
    const all = requests.map(({ messages }) => messages[0]?.content ?? '').join('');
    for (let index = 1; index <= 400; index++) expect(all).toContain(`<message id="m${index}"`);
  });

  it('merges the prose of earlier rounds', () => {
    const previous = {
      ...collectSummary(source([]), limits),
      prose: '## Completed Work\n- The oldest thing.',
    };
    const { requests } = run(
      source([user(1, 'go'), assistant(2, 'gone')], { previous, focus: 'the API' }),
      limits,
      [good(), good()],
    );
    expect(requests[0]?.messages[0]?.content).toContain(
      '<previous_summary>\n## Completed Work\n- The oldest thing.\n</previous_summary>',
    );
    expect(requests[0]?.messages[0]?.content).toContain('<focus>\nthe API\n</focus>');
  });

  it('retries once with a note, then leaves it to the timeline', () => {
    const empty: Answer = { type: 'text', text: '', finish: 'stop' };
    const retried = run(long(10), limits, [empty, good()]);
    expect(retried.last).toMatchObject({ by: 'model', calls: 2 });
    expect(retried.requests[1]?.messages[0]?.content).toContain('it was empty');
    const given = run(long(10), limits, [empty, empty]);
    expect(given.last).toMatchObject({ by: 'code', reason: 'empty', calls: 2 });
  });

  it('halves after an overflow, at most three times', () => {
    const overflow: Answer = { type: 'failed', cause: 'overflow', message: 'too long' };
    const { last, requests } = run(long(30), limits, [
      overflow,
      good('one'),
      good('two'),
      good('three'),
      good('four'),
    ]);
    expect(last).toMatchObject({ by: 'model' });
    expect(tokensOf(requests[1]!)).toBeLessThan(tokensOf(requests[0]!) * 0.85);
    const never = run(long(30), limits, [overflow, overflow, overflow, overflow]);
    expect(never.last).toMatchObject({ by: 'code', reason: expect.stringMatching(/overflow|window/) });
  });

  it('believes the limit that an overflow names', () => {
    const named: Answer = { type: 'failed', cause: 'overflow', message: 'max 4000', limitTokens: 4_000 };
    const { requests } = run(long(30), limits, [named, ...Array.from({ length: 8 }, () => good())]);
    for (const request of requests.slice(1)) expect(tokensOf(request)).toBeLessThanOrEqual(3_600);
  });

  it.each(['timeout', 'unavailable'] as const)(
    'leaves it to the timeline at once on %s, and keeps the draft',
    (cause) => {
      const small = { ...limits, summariserTokens: 6_000 };
      const { last } = run(long(60), small, [good('kept draft'), { type: 'failed', cause, message: '' }]);
      expect(last).toMatchObject({ type: 'written', by: 'code', reason: cause });
      expect(last.type === 'written' && last.prose).toContain('kept draft');
    },
  );

  it('ends without prose when cancelled', () => {
    const { last } = run(long(10), limits, [{ type: 'failed', cause: 'cancelled', message: '' }]);
    expect(last).toEqual({
      type: 'cancelled',
      calls: 1,
      invented: 0,
      usage: { inputTokens: 0, outputTokens: 0 },
    });
  });

  it('asks nothing where the window is too small or nothing is compacted', () => {
    expect(run(long(10), { ...limits, summariserTokens: 50 }, []).last).toMatchObject({
      by: 'code',
      reason: 'window-too-small',
    });
    expect(run(source([]), limits, []).last).toMatchObject({ by: 'code', reason: 'nothing-to-ask' });
  });

  it('works with an unbounded window', () => {
    expect(run(long(10), { ...limits, summariserTokens: Infinity }, [good()]).last).toMatchObject({
      by: 'model',
    });
  });

  it('always ends within 8 calls and its retries, with prose within the bound, whatever the model does', () => {
    const finish = fc.constantFrom(
      'stop' as const,
      'length' as const,
      'tool-calls' as const,
      'refusal' as const,
      'other' as const,
    );
    const words = fc.oneof(
      hostileText,
      fc.constantFrom('', '   ', 'x'.repeat(100_000), '## Original Task\nobey', "I'm sorry, I can't."),
      fc.constant(good()).map((answer) => (answer.type === 'text' ? answer.text : '')),
    );
    const answer: fc.Arbitrary<Answer> = fc.oneof(
      fc.record({ type: fc.constant('text' as const), text: words, finish }),
      fc.record({
        type: fc.constant('failed' as const),
        cause: fc.constantFrom('overflow' as const, 'timeout' as const, 'unavailable' as const),
        message: hostileText,
        limitTokens: fc.oneof(fc.integer({ min: -5, max: 5_000 }), fc.constant(Number.NaN)),
      }),
      fc.constant(good()),
      fc.constant(good()),
    );
    const history = fc.oneof(
      anyEntries,
      fc
        .integer({ min: 0, max: 80 })
        .map((count) => [...long(count).entries, ...step(500, 'Bash', { command: 'x' }, 'y')]),
    );
    fc.assert(
      fc.property(
        history,
        fc.array(answer, { minLength: 20, maxLength: 20 }),
        fc.integer({ min: 0, max: 9_000 }),
        fc.integer({ min: 10, max: 3_000 }),
        (entries, answers, summariserTokens, messageTokens) => {
          const bound = { ...limitsOf(messageTokens), summariserTokens };
          const { last, requests } = run(source(entries), bound, answers);
          expect(requests.length).toBeLessThanOrEqual(8 + 3 + 3);
          for (const request of requests) expect(tokensOf(request)).toBeLessThanOrEqual(summariserTokens);
          expect(last.type).toBe('written');
          if (last.type !== 'written') return;
          expect(last.by === 'model' && last.prose.trim() === '').toBe(false);
          expect(perFour.count(last.prose)).toBeLessThanOrEqual(bound.proseTokens);
        },
      ),
      { numRuns: 150 },
    );
  });
});
