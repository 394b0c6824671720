import { describe, expect, it } from 'vitest';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { appendMessages, openTranscript } from '../history/transcript.ts';
import { charactersEstimator } from '../tokens/estimator.ts';
import { emptyState } from '../pass/state.ts';
import { openaiResponsesCodec } from '../codecs/openai-responses/openai-responses-codec.ts';
import { policyOf, transcriptOf, wordsOf } from '../../test/chat-history.ts';
import { prepare } from '../context/prepare.ts';
import { renderView } from '../history/render-view.ts';
import { strategyNames } from '../strategies/create-strategy.ts';
import type { Codec } from '../codecs/codec.ts';
import type { ContextState } from '../pass/state.ts';
import type { Policy } from '../pass/policy.ts';
import type { RangeChange } from '../changes/change.ts';
import type { Ready } from '../context/step.ts';
import type { Report } from '../pass/report.ts';
import type { Transcript } from '../history/transcript.ts';

const words = (count: number, word = 'word'): string => `${word} `.repeat(count);
const talk = (count: number, from = 0): unknown[] =>
  Array.from({ length: count }, (_, index) => [
    { role: 'assistant', content: `note ${from + index} ${words(300)}` },
    { role: 'user', content: `go on ${from + index}` },
  ]).flat();

const deploy = {
  role: 'assistant',
  content: 'Starting.',
  tool_calls: [
    { id: 'A', type: 'function', function: { name: 'test', arguments: '{}' } },
    { id: 'B', type: 'function', function: { name: 'deploy', arguments: '{}' } },
  ],
};
const resultOf = (id: string): unknown => ({ role: 'tool', tool_call_id: id, content: `RESULT OF ${id}` });

function stepOf(transcript: Transcript, state: ContextState, policy: Policy, isManual = false): Ready {
  const step = prepare(transcript, state, policy, isManual ? { reason: 'manual' } : {});
  if (step.type !== 'ready') throw new Error(step.type);
  return step;
}

/** The ladder steps and sizes of a step to its end: no model is asked for these. */
function reportOf(transcript: Transcript, policy: Policy): Report {
  const step = prepare(transcript, emptyState(), policy);
  if (step.type === 'model-needed') throw new Error(step.type);
  return step.report;
}

const sent = (transcript: Transcript, step: Ready): { role: string; content: unknown }[] =>
  renderView(transcript, step.view).messages.map(({ message }) => message) as {
    role: string;
    content: unknown;
  }[];

const rangesIn = ({ state }: Ready): RangeChange[] =>
  state.changes.filter((change): change is RangeChange => 'summary' in change);

describe('what tools say before the first request', () => {
  const rules = {
    role: 'user',
    content: `# AGENTS.md instructions for /home/ada/shop\n\n<INSTRUCTIONS>${words(200, 'tabs')}</INSTRUCTIONS>`,
  };
  const place = {
    role: 'user',
    content: '<environment_context><cwd>/home/ada/shop</cwd></environment_context>',
  };
  const task = { role: 'user', content: 'Build the shop.' };

  it.each(strategyNames)('stays in front of a compaction, and is not taken for the task (%s)', (strategy) => {
    const transcript = transcriptOf([rules, place, task, ...talk(90)]);
    const step = stepOf(transcript, emptyState(), policyOf(40_000, strategy));
    expect(sent(transcript, step).slice(0, 3)).toEqual([rules, place, task]);
    expect(wordsOf(rangesIn(step)[0]?.summary)[0]).toMatch(/^go on/);
  });

  it('goes into the summary where it costs more than half of what a task may, with its rules', () => {
    const long = { ...rules, content: `# AGENTS.md instructions\n\nNever touch billing.ts. ${words(9_000)}` };
    const transcript = transcriptOf([long, place, task, ...talk(90)]);
    const step = stepOf(transcript, emptyState(), policyOf(40_000, 'digest'));
    expect(sent(transcript, step)).toContainEqual(task);
    expect(sent(transcript, step)).not.toContainEqual(long);
    expect(JSON.stringify(sent(transcript, step))).toContain('Never touch billing.ts.');
  });

  it('goes where it is no instruction: what local commands have printed takes no room from the summary', () => {
    const printed = {
      role: 'user',
      content: '<local-command-stdout>Set model to Opus</local-command-stdout>',
    };
    const transcript = transcriptOf([rules, printed, task, ...talk(90)]);
    const step = stepOf(transcript, emptyState(), policyOf(40_000, 'digest'));
    expect(sent(transcript, step).slice(0, 2)).toEqual([rules, task]);
    expect(JSON.stringify(sent(transcript, step))).not.toContain('USER: <local-command-stdout>');
  });

  it('stays where it is behind what a local command has printed, and as a reminder of rules', () => {
    const printed = {
      role: 'user',
      content: '<local-command-stdout>Set model to Opus</local-command-stdout>',
    };
    const reminder = {
      role: 'user',
      content: '<system-reminder># claudeMd\nNever touch billing.ts</system-reminder>',
    };
    for (const front of [rules, reminder]) {
      const transcript = transcriptOf([printed, front, task, ...talk(90)]);
      const step = stepOf(transcript, emptyState(), policyOf(40_000, 'digest'));
      expect(sent(transcript, step)).toContainEqual(front);
    }
  });

  it('is no request behind the first one either: the newest words of the user are', () => {
    const aside = { role: 'user', content: '[Request interrupted by user]' };
    const latest = { role: 'user', content: 'Use green.' };
    const transcript = transcriptOf([
      task,
      ...talk(60).slice(0, -1),
      latest,
      ...talk(40).filter(isAnswer),
      aside,
    ]);
    const { conversation } = transcript;
    expect(conversation.entries.at(conversation.latestAt)?.wire).toEqual(latest);
    const step = stepOf(transcript, emptyState(), policyOf(40_000, 'digest'));
    expect(sent(transcript, step)).toContainEqual(latest);
  });
});

const isAnswer = (message: unknown): boolean => (message as { role: string }).role === 'assistant';

describe('system messages', () => {
  const rule = { role: 'system', content: 'From now on the sandbox is read only: never write to /etc.' };

  it.each(strategyNames)('stay in the view wherever they stand (%s)', (strategy) => {
    const messages = [{ role: 'user', content: 'Do it.' }, ...talk(30), rule, ...talk(60, 30)];
    let transcript = transcriptOf(messages);
    let state = emptyState();
    for (let round = 0; round < 3; round += 1) {
      const step = stepOf(transcript, state, policyOf(40_000, strategy));
      expect(rangesIn(step)).toHaveLength(1);
      expect(sent(transcript, step)).toContain(rule);
      state = step.state;
      transcript = appendMessages(transcript, talk(90, 100 * (round + 1)));
    }
  });

  it('stay also as messages of the developer, with their neighbours in legal order', () => {
    const developer = { type: 'message', role: 'developer', content: 'Never write to /etc.' };
    const messages = [{ role: 'user', content: 'Do it.' }, ...talk(30), developer, ...talk(60, 30)];
    const transcript = openTranscript(
      { codec: openaiResponsesCodec as Codec, estimator: charactersEstimator },
      messages,
    );
    const step = stepOf(transcript, emptyState(), policyOf(40_000));
    expect(rangesIn(step)).toHaveLength(1);
    const shown = sent(transcript, step);
    expect(shown).toContain(developer);
    expect(shown.map(({ role }) => role).slice(0, 4)).toEqual(['user', 'assistant', 'developer', 'user']);
  });
});

describe('calls that wait for a result', () => {
  const before = [{ role: 'user', content: 'Do it.' }, ...talk(90)];

  function whatReachesTheModel(messages: readonly unknown[]): string {
    const transcript = transcriptOf(messages);
    const step = stepOf(transcript, emptyState(), policyOf(40_000));
    expect(rangesIn(step)).toHaveLength(1);
    const { messages: shown, repairs } = renderView(transcript, step.view);
    expect(repairs.filter(({ type }) => type.includes('drop'))).toEqual([]);
    return JSON.stringify(shown);
  }

  it.each([
    ['right after the next response', []],
    ['long after it', talk(20, 500)],
  ])('keep their place for a result that comes late, %s', (_, between) => {
    const messages = [
      ...before,
      deploy,
      resultOf('A'),
      { role: 'assistant', content: 'B is still running.' },
      { role: 'user', content: 'I see.' },
      ...between,
      resultOf('B'),
    ];
    expect(whatReachesTheModel(messages)).toContain('RESULT OF B');
  });

  it('are never behind the cut while the model has said nothing since', () => {
    const long = { ...deploy, content: words(11_000) };
    let transcript = transcriptOf([...before, long, { role: 'user', content: 'Meanwhile do X.' }]);
    const policy = policyOf(40_000);
    const first = stepOf(transcript, emptyState(), policy, true);
    expect(JSON.stringify(sent(transcript, first))).toContain('"deploy"');
    transcript = appendMessages(transcript, [resultOf('A'), resultOf('B')]);
    const second = stepOf(transcript, first.state, policy);
    const text = JSON.stringify(sent(transcript, second));
    expect(text).toContain('RESULT OF A');
    expect(text).toContain('RESULT OF B');
  });

  it('go with their result where both are in the range', () => {
    const messages = [
      { role: 'user', content: 'Do it.' },
      deploy,
      resultOf('A'),
      ...talk(5),
      resultOf('B'),
      ...talk(90),
    ];
    const transcript = transcriptOf(messages);
    const text = JSON.stringify(sent(transcript, stepOf(transcript, emptyState(), policyOf(40_000))));
    expect(text).not.toContain('"deploy"');
  });

  // What a client sent in the wrong order: the result that is pinned, or whose call is, stands apart from its call.
  it.each([
    ['result', 6],
    ['call', 2],
    ['other result of the response', 3],
  ])('stay with their result where the %s is pinned', (_name, pin) => {
    const messages = [
      { role: 'user', content: 'Do it.' },
      { role: 'assistant', content: `Thinking. ${words(300)}` },
      deploy,
      resultOf('A'),
      { role: 'assistant', content: 'B is still running.' },
      { role: 'user', content: 'I see.' },
      resultOf('B'),
      ...talk(90),
    ];
    const transcript = transcriptOf(messages);
    const step = stepOf(transcript, emptyState(), policyOf(40_000, 'reactive-overflow', { pins: [pin] }));
    const shown = sent(transcript, step);
    expect(shown).toEqual(expect.arrayContaining([deploy, resultOf('A'), resultOf('B')]));
    expect(shown).not.toContainEqual(messages[1]);
    expect(renderView(transcript, step.view).repairs).toEqual([]);
  });

  it('count as interrupted where there are too many to stay, so that the view still fits', () => {
    const open = Array.from({ length: 900 }, (_, index) => ({
      role: 'assistant',
      content: `call ${index}`,
      tool_calls: [
        { id: `c${index}`, type: 'function', function: { name: 'run', arguments: '{"path":"src/a.ts"}' } },
      ],
    }));
    const transcript = transcriptOf([
      { role: 'user', content: 'Do it.' },
      ...open,
      { role: 'user', content: 'Go on.' },
    ]);
    const step = stepOf(transcript, emptyState(), policyOf(20_000));
    expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.triggerTokens);
    const [range] = rangesIn(step);
    expect(range?.anchor.kept.length).toBeGreaterThan(3);
    expect(range?.anchor.kept.length).toBeLessThan(100);
  });
});

describe('a history no longer than what is kept', () => {
  it('is not compacted by the tail of a number of messages', () => {
    const messages = [
      { role: 'user', content: 'Task.' },
      ...Array.from({ length: 5 }, () => [
        { role: 'assistant', content: words(700) },
        { role: 'user', content: 'Go.' },
      ]).flat(),
    ];
    const transcript = transcriptOf(messages);
    const report = reportOf(transcript, policyOf(6_000, 'threshold-tail'));
    expect(messages).toHaveLength(11);
    expect(report.ladderSteps.map(({ ladderStep }) => ladderStep)).not.toContain('compact');
    const longer = transcriptOf([
      ...messages,
      { role: 'assistant', content: words(700) },
      { role: 'user', content: 'Go.' },
    ]);
    const next = reportOf(longer, policyOf(6_000, 'threshold-tail'));
    expect(next.ladderSteps.map(({ ladderStep }) => ladderStep)).toContain('compact');
  });

  it('is not compacted where all that could go is within the share that stays', () => {
    const messages = [
      { role: 'system', content: words(2_720) },
      { role: 'assistant', content: words(240) },
      { role: 'user', content: 'Task.' },
      { role: 'assistant', content: words(100) },
      { role: 'user', content: words(400) },
    ];
    const report = reportOf(transcriptOf(messages), policyOf(6_000, 'digest'));
    expect(report.tokens.before).toBeGreaterThan(report.triggerTokens);
    expect(report.ladderSteps.map(({ ladderStep }) => ladderStep)).not.toContain('compact');
  });
});

describe("a provider's own compaction", () => {
  const compaction = { role: 'assistant', content: [{ type: 'compaction', content: 'What was before.' }] };
  const blocks = (text: string): unknown => [{ type: 'text', text }];
  const turns = (count: number, from = 0): unknown[] =>
    Array.from({ length: count }, (_, index) => [
      { role: 'assistant', content: blocks(`note ${from + index} ${words(300)}`) },
      { role: 'user', content: `go on ${from + index}` },
    ]).flat();
  const open = (messages: readonly unknown[]): Transcript =>
    openTranscript({ codec: anthropicCodec as Codec, estimator: charactersEstimator }, messages);
  const task = { role: 'user', content: 'The task is to migrate the ledger.' };

  it('stands for what is before it: that is neither counted nor changed', () => {
    const messages = [task, ...turns(90), compaction, { role: 'user', content: 'Next.' }];
    const transcript = open(messages);
    const step = stepOf(transcript, emptyState(), policyOf(20_000), true);
    expect(step.report.tokens.final).toBeLessThan(100);
    sent(transcript, step).forEach((message, index) => expect(message).toBe(messages[index]));
  });

  it('is counted as if it had been there from the start when it comes in the middle of a session', () => {
    let transcript = open([task, ...turns(20)]);
    const policy = policyOf(40_000);
    const first = stepOf(transcript, emptyState(), policy, true);
    expect(rangesIn(first)).toHaveLength(1);
    transcript = appendMessages(transcript, [compaction, { role: 'user', content: 'Next.' }]);
    const grown = stepOf(transcript, first.state, policy);
    const anew = stepOf(
      open([task, ...turns(20), compaction, { role: 'user', content: 'Next.' }]),
      emptyState(),
      policy,
    );
    expect(grown.view.tokens).toBe(anew.view.tokens);
  });

  it('is the border of every compaction behind it, whose summary tells the task', () => {
    const messages = [task, ...turns(20), compaction, { role: 'user', content: 'Next.' }, ...turns(90, 20)];
    let transcript = open(messages);
    let state = emptyState();
    const policy = policyOf(20_000);
    for (let round = 1; round < 4; round += 1) {
      const step = stepOf(transcript, state, policy);
      const shown = sent(transcript, step);
      for (let index = 0; index <= 41; index += 1) expect(shown[index]).toBe(messages[index]);
      const [range] = rangesIn(step);
      expect(range?.anchor.first).toBe(42);
      expect(range?.summary.round).toBe(round);
      expect(range?.text).toContain('migrate the ledger');
      expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.triggerTokens);
      state = step.state;
      transcript = appendMessages(transcript, turns(90, 200 * round));
    }
  });

  it('hides a summary, which the next one takes over', () => {
    let transcript = open([task, ...turns(20)]);
    const first = stepOf(transcript, emptyState(), policyOf(20_000), true);
    transcript = appendMessages(transcript, [
      compaction,
      { role: 'user', content: 'Next.' },
      ...turns(60, 60),
    ]);
    const second = stepOf(transcript, first.state, policyOf(20_000));
    const ranges = rangesIn(second);
    expect(ranges.map(({ summary }) => summary.round)).toEqual([1, 2]);
    expect(sent(transcript, second).slice(0, 3)).toEqual(sent(transcript, first).slice(0, 3));
  });
});

describe('another strategy in the middle of a session', () => {
  it('never lets messages back that an older range had taken', () => {
    const requests = ['First: the ledger.', 'Second: the invoices.', 'Third: the exports.'];
    const turn = (content: string, from: number): unknown[] => [{ role: 'user', content }, ...talk(4, from)];
    let transcript = transcriptOf(requests.flatMap((content, index) => turn(content, index * 10)));
    const first = stepOf(transcript, emptyState(), policyOf(8_000, 'reactive-overflow'), true);
    const [older] = rangesIn(first);
    transcript = appendMessages(transcript, talk(60, 100));
    const second = stepOf(transcript, first.state, policyOf(12_000, 'middle-removal'));
    const ranges = rangesIn(second);
    expect(ranges).toHaveLength(1);
    expect(ranges[0]?.anchor.first).toBeLessThanOrEqual(older?.anchor.first ?? -1);
    expect(ranges[0]?.anchor.end).toBeGreaterThan(older?.anchor.end ?? Infinity);
    expect(ranges[0]?.summary.round).toBe(2);
  });
});
