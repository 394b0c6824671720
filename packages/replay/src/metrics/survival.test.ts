import { describe, expect, it } from 'vitest';
import { artifactLedger, filesOf, ledgerFigures, pathsNamedIn } from './artifact-ledger.ts';
import { call, measure, planOf, result, settingOf, user, viewOf } from '../../test/test-views.ts';
import {
  createErrorTracker,
  errorFigures,
  isFailed,
  lastErrorLine,
  unresolvedErrors,
} from './unresolved-error.ts';
import {
  instructionSurvival,
  promisedTexts,
  ruleSentencesOf,
  survivalFigures,
} from './instruction-survival.ts';
import { openaiChatCodec } from '@throughline/core';
import type { CallPart, ResultPart } from '@throughline/core/codec';

function callPart(input: unknown): CallPart {
  return {
    type: 'call',
    at: [],
    callId: 'c' as CallPart['callId'],
    name: 'edit',
    input: { type: 'value', value: input, at: [] },
  };
}

describe('M6, instruction survival', () => {
  it('picks the sentences with a rule in them', () => {
    expect(
      ruleSentencesOf("Fix the bug. Never touch a.yaml! It's only one file.\nDon't push. Thanks."),
    ).toEqual(['Never touch a.yaml!', "It's only one file.", "Don't push."]);
  });

  it('promises the task, the latest request and the newest others up to 15 % of B', () => {
    const text = (tokens: number, messageIndex: number) => ({ text: 'x', tokens, messageIndex });
    const setting = { budgetTokens: 1_000, windowTokens: 10_000, outputReserveTokens: 2_000 };
    const texts = [text(1_500, 0), text(60, 3), text(100, 5), text(50, 7), text(1_900, 9)];
    expect(promisedTexts(texts, 5, setting)).toEqual(new Set([0, 2, 3, 4]));
    expect(promisedTexts([text(2_001, 0)], 1, setting)).toEqual(new Set());
  });

  it('counts a message as kept only verbatim, in a user message or in what was written', async () => {
    const messages = [
      user('Never push.'),
      call('a', {}),
      result('a', 'Never push.'),
      user('Go on.'),
      call('b', {}),
    ];
    const plan = planOf(messages);
    const step = plan.steps[1];
    if (!step) throw new Error('Expected two steps.');
    const figures = async (sent: readonly unknown[], written: readonly number[] = []) =>
      survivalFigures(
        await measure(instructionSurvival, plan, [viewOf(plan, step, sent, { written: new Set(written) })]),
      );
    expect(await figures(messages.slice(0, 4))).toMatchObject({ userMessages: 1, ruleSentences: 1 });
    // A result says the same words: those are not the user's.
    expect(await figures(messages.slice(1, 4))).toMatchObject({ userMessages: 0.5, ruleSentences: 0 });
    const summary = { role: 'assistant', content: 'The user said: Never push.' };
    expect(await figures([summary, messages[3]])).toMatchObject({ userMessages: 0.5 });
    expect(await figures([summary, messages[3]], [0])).toMatchObject({ userMessages: 1, ruleSentences: 1 });
  });
});

describe('M7, artifact ledger', () => {
  it('takes paths of files from arguments that name one, and from patches', () => {
    expect(
      filesOf(
        callPart({ file_path: 'src/a.ts', edits: [{ path: 'src/b.ts', text: 'see src/c.ts' }], path: 'src' }),
      ),
    ).toEqual(['src/a.ts', 'src/b.ts']);
    expect(filesOf(callPart('*** Begin Patch\n*** Update File: src/d.ts\n@@\n*** Add File: e.md\n'))).toEqual(
      ['src/d.ts', 'e.md'],
    );
  });

  it('finds each path of a text once', () => {
    expect(pathsNamedIn('read: src/a.ts, src/b.ts; changed: src/a.ts')).toEqual(['src/a.ts', 'src/b.ts']);
  });

  it('measures which files are named, and whether written paths are true', async () => {
    const messages = [
      user('Go.'),
      call('a', { path: 'src/a.ts' }),
      result('a', ''),
      call('b', { path: 'src/b.ts' }),
      result('b', ''),
      call('c', {}),
    ];
    const plan = planOf(messages);
    const step = plan.steps[2];
    if (!step) throw new Error('Expected three steps.');
    const summary = { role: 'assistant', content: 'Read: src/b.ts, src/made-up.ts' };
    const view = viewOf(plan, step, [messages[0], summary], { written: new Set([1]) });
    expect(ledgerFigures(await measure(artifactLedger, plan, [view]))).toEqual({
      files: 0.5,
      filePrecision: 0.5,
    });
  });
});

describe('M8, unresolved errors', () => {
  const resultPart = (text: string, isError = false): ResultPart => ({
    type: 'result',
    at: [],
    callId: 'c' as ResultPart['callId'],
    isError,
    pieces: [{ type: 'text', at: [], text }],
  });

  it('knows a failure by its flag, an exit code or an error mark at an edge', () => {
    expect(isFailed(resultPart('ok', true))).toBe(true);
    expect(isFailed(resultPart('Exit code 2\nboom'))).toBe(true);
    expect(isFailed(resultPart('Process exited with code 0\n\nerror: a word in its output'))).toBe(false);
    expect(isFailed(resultPart('error: no code at all'))).toBe(true);
    expect(isFailed(resultPart('Traceback (most recent call last)\nKeyError'))).toBe(true);
    expect(isFailed(resultPart(`${'a line\n'.repeat(100)}error: in a log\n${'a line\n'.repeat(100)}`))).toBe(
      false,
    );
  });

  it('takes the last line that names an error, else the last with words', () => {
    expect(lastErrorLine('error: one\n  TypeError: two  \n3 passed\n----')).toBe('TypeError: two');
    expect(lastErrorLine('something\n----\n')).toBe('something');
    expect(lastErrorLine('<error>Failed to parse</error>\n}</error>')).toBe('Failed to parse');
    expect(lastErrorLine('error: expected <T> here')).toBe('error: expected <T> here');
  });

  it('forgets a failure when the same call succeeds, and only then', () => {
    const tracker = createErrorTracker();
    const say = (...messages: readonly unknown[]): void =>
      messages.forEach((message, index) => tracker.add(openaiChatCodec.decode(message, index)));
    say(call('a', { cmd: 'test' }), result('a', 'Exit code 1\nerror: red'));
    say(call('b', { cmd: 'lint' }), result('b', 'Exit code 1\nerror: lint'));
    expect(tracker.newest()).toBe('error: lint');
    say(call('c', { cmd: 'lint' }), result('c', 'clean'));
    expect(tracker.newest()).toBe('error: red');
    say(call('d', { cmd: 'test' }), result('d', 'green'));
    expect(tracker.newest()).toBeUndefined();
  });

  it('asks at each step whether the line is still there', async () => {
    const messages = [
      user('Go.'),
      call('a', {}),
      result('a', 'Exit code 1\nerror: red'),
      call('b', { x: 1 }),
      result('b', 'fine'),
      call('c', {}),
    ];
    const plan = planOf(messages);
    const [, second, third] = plan.steps;
    if (!second || !third) throw new Error('Expected three steps.');
    const views = [
      viewOf(plan, second, messages.slice(0, 3)),
      viewOf(plan, third, [messages[0], ...messages.slice(3, 5)]),
    ];
    expect(errorFigures(await measure(unresolvedErrors, plan, views, { setting: settingOf() }))).toEqual({
      unresolvedErrors: 0.5,
    });
  });

  it('finds a coloured line also where a summary tells it without its colours', async () => {
    const messages = [
      user('Go.'),
      call('a', {}),
      result('a', 'Exit code 1\n\u001B[31merror\u001B[39m: red'),
      call('b', {}),
    ];
    const plan = planOf(messages);
    const step = plan.steps.at(-1);
    if (!step) throw new Error('Expected a step.');
    const keptWhere = async (summary: string): Promise<number> => {
      const views = [viewOf(plan, step, [user(summary)])];
      return errorFigures(await measure(unresolvedErrors, plan, views, { setting: settingOf() }))
        .unresolvedErrors;
    };
    expect(await keptWhere('It failed: error: red')).toBe(1);
    expect(await keptWhere('It failed.')).toBe(0);
  });
});
