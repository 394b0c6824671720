import { appendMessages, openaiChatCodec, openTranscript, recall, searchTranscript } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { callTool } from '../../../test/tool-bench.ts';
import { createRecallTool, createTodoTool } from './session-tools.ts';
import type { RecallSource, Todo, TodoStore } from '../tool.ts';

function todoStore(): TodoStore {
  let list: readonly Todo[] = [];
  return { load: () => Promise.resolve(list), save: (todos) => Promise.resolve(void (list = todos)) };
}

describe('todo', () => {
  it('replaces the list and shows it whole, as words and as data', async () => {
    const session = { todos: todoStore() };
    const todos = [
      { content: 'look', status: 'completed' },
      { content: 'mend', status: 'in_progress' },
      { content: 'test', status: 'pending' },
    ];
    const tool = createTodoTool();
    expect((await callTool(tool, {}, { session })).text).toBe('The list is empty.');
    expect(await callTool(tool, { todos }, { session })).toMatchObject({
      text: '[x] look\n[>] mend\n[ ] test',
      data: todos,
    });
    expect((await callTool(tool, {}, { session })).data).toEqual(todos);
    expect((await callTool(tool, { todos: [{ content: 'x', status: 'done' }] }, { session })).text).toContain(
      'todos[0].status:',
    );
    expect((await callTool(tool, {})).state).toBe('error');
  });
});

/** A store that finds texts as they stand, newest first; a message of several texts has parts. */
function storeOf(messages: readonly (readonly string[])[]): RecallSource {
  const parts = messages.flatMap((texts, at) =>
    texts.map((excerpt, part) => ({ id: texts.length > 1 ? `m${at}.${part}` : `m${at}`, excerpt })),
  );
  return {
    get: (id) => {
      const [message = 0, part] = id.slice(1).split('.').map(Number);
      const texts = messages[message] ?? [];
      return Promise.resolve({ id, text: part === undefined ? texts.join('\n') : (texts[part] ?? '') });
    },
    search: (query, limit) =>
      Promise.resolve(
        parts
          .filter(({ excerpt }) => excerpt.includes(query.toLowerCase()))
          .toReversed()
          .slice(0, limit),
      ),
  };
}

describe('recall', () => {
  const long = `start ${'😀'.repeat(30_000)} end`;
  const transcript = appendMessages(
    openTranscript({ codec: openaiChatCodec }, [{ role: 'user', content: 'Find the needle.' }]),
    [{ role: 'assistant', content: long }],
  );
  const source: RecallSource = {
    get: (id) => {
      const found = recall(transcript, id);
      return Promise.resolve(found && { id: found.recallId, role: found.role, text: found.text });
    },
    search: (query, limit) =>
      Promise.resolve(
        searchTranscript(transcript, query, limit).map(({ recallId: id, role, excerpt }) => ({
          id,
          role,
          excerpt,
        })),
      ),
  };
  const session = { recall: source };
  const tool = createRecallTool();

  it('returns a text by its id, in pieces that together are the text', async () => {
    expect((await callTool(tool, { id: 'm0' }, { session })).text).toBe('Find the needle.');
    let whole = '';
    for (let from: number | undefined = 0; from !== undefined;) {
      const { text } = await callTool(tool, { id: 'm1', from }, { session });
      const [note = '', next] = /\n\[characters .*?(?:from (\d+))?\]$/.exec(text) ?? [];
      whole += text.slice(0, text.length - note.length);
      from = next === undefined ? undefined : Number(next);
    }
    expect(whole).toBe(long);
  });

  it('takes a whole placeholder for its id', async () => {
    const id = '[cleared result m0, 12 tokens; recall "m0" returns it]';
    expect((await callTool(tool, { id }, { session })).text).toBe('Find the needle.');
    expect((await callTool(tool, { id: '"m0"' }, { session })).text).toBe('Find the needle.');
  });

  it('searches a store by the words of a query that stands nowhere, and says what is lacking', async () => {
    const older = Array.from({ length: 150 }, (_, at) => [`the harbour at ${at}`]);
    const session = {
      recall: storeOf([['the harbour was closed'], ['the lighthouse of', 'a harbour'], ...older]),
    };
    const search = async (query: string) => (await callTool(tool, { query }, { session })).text;
    expect(await search('harbour was closed')).toBe('m0: the harbour was closed');
    expect(await search('Lighthouse? closed')).toBe(
      'm1.0: the lighthouse of [without closed]\nm0: the harbour was closed [without lighthouse]',
    );
    // More than the newest hits of a word are not asked for; what a message holds is looked up in it.
    expect(await search('lighthouse harbour')).toBe('m1.0: the lighthouse of');
    expect(await search('keeper elephants')).toBe('Nothing found.');
  });

  it('searches, and says what it cannot find', async () => {
    expect((await callTool(tool, { query: 'NEEDLE' }, { session })).text).toBe('m0 (user): Find the needle.');
    expect((await callTool(tool, { query: 'haystack' }, { session })).text).toBe('Nothing found.');
    expect((await callTool(tool, { id: 'm9' }, { session })).text).toContain('nothing with the id "m9"');
    expect((await callTool(tool, {}, { session })).text).toContain('expected either id or query');
    expect((await callTool(tool, { id: 'm0' })).state).toBe('error');
  });
});
