import { expect, it } from 'vitest';
import { dialects } from '../wire/dialect.ts';
import { NotedInstructions } from './noted-instructions.ts';
import { readClientRequest } from '../wire/client-request.ts';

const tools = [{ name: 'Bash', input_schema: {} }];

function requestOf(system: string, said: readonly string[]) {
  const messages = said.map((content) => ({ role: 'user', content }));
  const request = readClientRequest(
    dialects.messages,
    JSON.stringify({ model: 'm', system, tools, messages }),
  );
  if (!request) throw new Error('expected a request');
  return request;
}

it('instructions and tools are stored once, and again when they have changed', () => {
  const noted = new NotedInstructions();
  const first = requestOf('Be kind.', ['hello']);
  expect(noted.changedIn('a', first)).toEqual({ system: 'Be kind.', tools });
  // It could not be stored.
  expect(noted.changedIn('a', first)).toEqual({ system: 'Be kind.', tools });
  noted.note('a', first);
  expect(noted.changedIn('a', requestOf('Be kind.', ['hello', 'and another, longer']))).toBeUndefined();
  expect(noted.changedIn('b', first)).toBeDefined();
  expect(noted.changedIn('a', requestOf('Be kind and brief.', ['hello']))).toEqual({
    system: 'Be kind and brief.',
    tools,
  });
});
