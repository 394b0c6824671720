import { ask, messagesOf, openAgent } from './agent-bench.ts';
import { createRecallTool } from '../../src/tools/built-in/session-tools.ts';
import { expect, it } from 'vitest';

const recallOf = (query: string) => ({ calls: [{ callId: query, name: 'recall', input: { query } }] });

it.each(['memory', 'file'] as const)(
  'recall finds a message in the store by the words of a question, and says which words it lacks (%s)',
  async (where) => {
    const { agent, store } = await openAgent(
      [
        { text: 'The lighthouse stands north of the pier.' },
        { text: 'Nothing more is known.' },
        recallOf('pier lighthouse?'),
        recallOf('lighthouse keeper'),
        recallOf('submarine yard'),
        { text: 'Done.' },
      ],
      { in: where, tools: [createRecallTool()] },
    );
    const session = await agent.create();
    await ask(session, 'Where is it?');
    await ask(session, 'What of the harbour?');
    await ask(session, 'Look it up.');
    const results = (await messagesOf(store, session))
      .filter(({ role }) => role === 'tool')
      .map((message) => JSON.stringify(message));
    expect(results).toHaveLength(3);
    expect(results[0]).toContain('m1 (assistant): The lighthouse stands north of the pier.');
    expect(results[0]).not.toContain('[without');
    expect(results[1]).toContain('north of the pier. [without keeper]');
    expect(results[2]).toContain('Nothing found.');
    expect(results.join('\n')).not.toMatch(/m\d+ \((?!assistant\): The lighthouse)/);
  },
);
