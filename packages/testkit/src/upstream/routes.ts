import { chat } from './dialects/chat.ts';
import type { Dialect } from './dialects/dialect.ts';
import { messages } from './dialects/messages.ts';
import { responses } from './dialects/responses.ts';
import { messageRules } from './rules/message-rules.ts';
import { chatRules, responseRules } from './rules/openai-rules.ts';
import type { Rules } from './rules/rule.ts';
import type { DialectName } from './model/scripted-answer.ts';

export const dialects: Readonly<Record<DialectName, Dialect>> = { chat, messages, responses };

export const rulesOf: Readonly<Record<DialectName, Rules>> = {
  chat: chatRules,
  messages: messageRules,
  responses: responseRules,
};

interface Route {
  readonly kind: 'answer' | 'count' | 'other';
  readonly dialect?: DialectName;
}

const names = ['chat', 'messages', 'responses'] as const;

const routes: Readonly<Record<string, Route>> = Object.fromEntries(
  names.flatMap((dialect): [string, Route][] => [
    [dialects[dialect].path, { kind: 'answer', dialect }],
    [dialects[dialect].countPath, { kind: 'count', dialect }],
  ]),
);

/** By the whole path: a doubled `/v1` is not found, as with the real ones. */
export function routeOf(method: string, path: string): Route {
  const [plain = ''] = path.split('?');
  return (method === 'POST' ? routes[plain] : undefined) ?? { kind: 'other' };
}
