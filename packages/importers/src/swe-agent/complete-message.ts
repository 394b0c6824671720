import { objectOf, textOf } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import type { CompleteMessage } from '../write/write-request.ts';

const messageTypes: ReadonlyMap<unknown, string> = new Map([
  ['system', 'system_prompt'],
  ['assistant', 'action'],
  ['user', 'observation'],
  ['tool', 'observation'],
]);

/** The agent, and the ids of results as the list that SWE-agent keeps. */
export const completeSweAgentMessage: CompleteMessage = (message, { nearest }) => {
  const { tool_call_id: id, ...rest } = objectOf(message);
  const near = objectOf(nearest);
  const type = near['message_type'] === undefined ? undefined : messageTypes.get(rest['role']);
  const completed: JsonObject = {
    ...(type === undefined ? {} : { message_type: type }),
    ...rest,
    agent: textOf(near['agent']) ?? 'main',
    ...(id === undefined ? {} : { tool_call_ids: [id] }),
  };
  return rest['role'] === 'assistant'
    ? { ...completed, thought: textOf(rest['content']) ?? '', action: '' }
    : completed;
};
