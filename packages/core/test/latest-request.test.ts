import { describe, expect, it } from 'vitest';
import {
  anthropicCodec,
  appendMessages,
  createStrategy,
  emptyState,
  openTranscript,
  prepare,
  renderView,
} from '@throughline/core';
import { strategyNames } from '@throughline/core/internal';
import { isDeepRun } from '@throughline/testkit';

const words = 'Wait: leave billing.ts alone, and say which tests you ran.';

function step(at: number, said: readonly string[] = []): unknown[] {
  const command = `make part-${at} && ${'./check --strict '.repeat(6)}`;
  const output = `part ${at} of the build\n`.repeat(20 + (at % 7) * 60);
  return [
    {
      role: 'assistant',
      content: [
        {
          type: 'text',
          text: `Building part ${at}: ${'what it needs comes from the part before. '.repeat(3)}`,
        },
        { type: 'tool_use', id: `call_${at}`, name: 'bash', input: { command } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: `call_${at}`, content: output },
        ...said.map((text) => ({ type: 'text', text })),
      ],
    },
  ];
}

describe('the latest request, said beside the results of calls', () => {
  const cases = strategyNames.flatMap((name) =>
    [4_000, 9_000, 15_000].map((windowTokens) => [name, windowTokens] as const),
  );
  const saidAts = [5, 18, 33];
  /** A default run says it early in one case, and later in the next one. */
  const saidIn = cases.map((_, place) =>
    isDeepRun ? saidAts : saidAts.filter((_said, at) => at === (place + Math.floor(place / 3)) % 3),
  );

  it.each(cases.map(([name, windowTokens], place) => [name, windowTokens, saidIn[place] ?? []] as const))(
    'stays word for word through every compaction: %s, %d tokens',
    (name, windowTokens, said) => {
      const policy = { strategy: createStrategy(name), budget: { windowTokens } };
      const task = `Build it. ${'Mind every detail. '.repeat(windowTokens / 30)}`;
      for (const saidAt of said) {
        let transcript = openTranscript({ codec: anthropicCodec }, [{ role: 'user', content: task }]);
        let state = emptyState();
        for (let at = 0; at < saidAt + 25; at += 1) {
          transcript = appendMessages(transcript, step(at, at === saidAt ? [words] : []));
          const prepared = prepare(transcript, state, policy);
          if (prepared.type !== 'ready') throw new Error(`${prepared.type} at ${at}`);
          ({ state } = prepared);
          const { messages } = renderView(transcript, prepared.view);
          expect(JSON.stringify(messages).includes(words), `said at ${saidAt}, at ${at}`).toBe(at >= saidAt);
        }
      }
    },
  );
});
