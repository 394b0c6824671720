import { objectOf, textOf } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import type { CompleteMessage } from '../write/write-request.ts';

const messageTypes: ReadonlyMap<unknown, string> = new Map([
  ['system', 'system_prompt'],
  ['assistant', 'action'],
  ['user', 'observation'],
  ['tool', 'observation'],
]);

/** The agent, and the ids of results as the list that SWE-agent keeps. What a message has of its own stays. */
export const completeSweAgentMessage: CompleteMessage = (message, { nearest }) => {
  const { tool_call_id: id, ...rest } = objectOf(message);
  const near = objectOf(nearest);
  const type = near['message_type'] === undefined ? undefined : messageTypes.get(rest['role']);
  const said = rest['role'] === 'assistant' ? { thought: textOf(rest['content']) ?? '', action: '' } : {};
  const completed: JsonObject = {
    ...(type === undefined ? {} : { message_type: type }),
    agent: textOf(near['agent']) ?? 'main',
    ...said,
    ...rest,
    ...(id === undefined ? {} : { tool_call_ids: [id] }),
  };
  return completed;
};
