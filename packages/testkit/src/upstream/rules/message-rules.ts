import { findShapeFaults } from '../../judge/judge-shape.ts';
import { blocksOf, isBlankText, isObject, type WireObject } from '../../judge/wire-value.ts';
import { findWireFaults } from '../../independent-validator.ts';
import { objectsOf } from '../dialects/dialect.ts';
import { signatureOf } from '../dialects/messages.ts';
import { isCountOrMissing, repeatedIn, type Rules } from './rule.ts';

/** What `POST /v1/messages` refuses. Messages of role `system` may stand anywhere, and are judged apart. */
export const messageRules: Rules = {
  'model is missing': ({ model }) =>
    typeof model === 'string' && model !== '' ? undefined : 'model: Field required',
  'max_tokens is missing': ({ max_tokens: limit }) =>
    limit === undefined ? 'max_tokens: Field required' : undefined,
  'max_tokens is no count': ({ max_tokens: limit }) =>
    isCountOrMissing(limit) ? undefined : 'max_tokens: Input should be greater than or equal to 1',
  'no messages': ({ messages }) =>
    objectsOf(messages).length > 0 ? undefined : 'messages: at least one message is required',
  'an unknown role': ({ messages }) => {
    const at = objectsOf(messages).findIndex(
      ({ role }) => !['user', 'assistant', 'system'].includes(String(role)),
    );
    return at === -1 ? undefined : `messages.${at}.role: Input should be 'user' or 'assistant'`;
  },
  'an empty system text': ({ system }) =>
    system !== undefined && (blocksOf(system) ?? [{ type: 'text', text: '' }]).some(isBlankText)
      ? 'system: text content blocks must be non-empty'
      : undefined,
  'a system message with no text': ({ messages }) => {
    const at = objectsOf(messages).findIndex(
      ({ role, content }) => role === 'system' && (blocksOf(content) ?? []).every(isBlankText),
    );
    return at === -1 ? undefined : `messages.${at}: system messages must have non-empty content`;
  },
  'calls without results directly after': ({ messages }) => {
    const all = objectsOf(messages);
    const at = all.findIndex(
      (message, index) => message['role'] === 'system' && callsOf(all[index - 1]).length > 0,
    );
    return at === -1
      ? undefined
      : `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${callsOf(all[at - 1]).join(', ')}`;
  },
  'the order of messages': ({ messages }) => inWords(findWireFaults('anthropic', conversationOf(messages))),
  'the shape of a message': ({ messages }) => inWords(findShapeFaults('anthropic', conversationOf(messages))),
  'more than four marks': (body) => {
    const marks = marksOf(body).length;
    return marks > 4
      ? `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`
      : undefined;
  },
  'a long-lived mark behind a short-lived one': (body) => {
    const lives = marksOf(body).map(({ ttl }) => ttl ?? '5m');
    return lives.lastIndexOf('1h') > lives.indexOf('5m') && lives.includes('5m')
      ? "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
      : undefined;
  },
  'a mark on thinking': ({ messages }) =>
    blocksIn(messages).some((block) => isThinking(block) && isObject(block['cache_control']))
      ? 'cache_control cannot be set for thinking blocks'
      : undefined,
  'edited thinking': ({ messages }) =>
    blocksIn(messages).some(
      ({ thinking, signature }) =>
        String(signature).startsWith('signed-') && signature !== signatureOf(String(thinking)),
    )
      ? 'Invalid `signature` in `thinking` block'
      : undefined,
  'a thinking budget above max_tokens': ({ thinking, max_tokens: limit }) => {
    const budget = isObject(thinking) ? thinking['budget_tokens'] : undefined;
    if (typeof budget !== 'number') return undefined;
    if (budget < 1024) return 'thinking.budget_tokens: Input should be greater than or equal to 1024';
    return typeof limit === 'number' && limit <= budget
      ? '`max_tokens` must be greater than `thinking.budget_tokens`'
      : undefined;
  },
  'a tool loop that begins without thinking': ({ thinking, messages }) => {
    if (!isObject(thinking) || thinking['type'] !== 'enabled') return undefined;
    const all = objectsOf(messages);
    const last = all.findLast(({ role }) => role === 'assistant');
    const isOpen = callsOf(last).length > 0 && callsOf(last).every((id) => isAnsweredAtEnd(all, id));
    const first = objectsOf(last?.['content'])[0];
    return isOpen && first && !isThinking(first)
      ? `Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first['type'])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block`
      : undefined;
  },
  'tools of the same name': ({ tools }) =>
    repeatedIn(objectsOf(tools).map(({ name }) => String(name))) === undefined
      ? undefined
      : 'tools: Tool names must be unique.',
  'a tool without a schema': ({ tools }) => {
    const at = objectsOf(tools).findIndex(
      ({ type, name, input_schema: schema }) =>
        typeof name !== 'string' || ((type ?? 'custom') === 'custom' && !isObject(schema)),
    );
    return at === -1 ? undefined : `tools.${at}.custom.input_schema: Field required`;
  },
};

function inWords(faults: readonly string[]): string | undefined {
  return faults.length === 0 ? undefined : faults.map((fault) => fault.replace('anthropic ', '')).join('; ');
}

function conversationOf(messages: unknown): readonly unknown[] {
  const all: readonly unknown[] = Array.isArray(messages) ? messages : [];
  return all.filter((message) => !isObject(message) || message['role'] !== 'system');
}

function blocksIn(messages: unknown): readonly WireObject[] {
  return objectsOf(messages).flatMap(({ content }) => objectsOf(content));
}

function callsOf(message: WireObject | undefined): readonly string[] {
  return objectsOf(message?.['content']).flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : []));
}

function isAnsweredAtEnd(messages: readonly WireObject[], id: string): boolean {
  return objectsOf(messages.at(-1)?.['content']).some(({ tool_use_id: answered }) => answered === id);
}

function isThinking({ type }: WireObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** All marks in the order in which the prompt is read: tools, system, messages, and inside of results. */
function marksOf({ tools, system, messages, cache_control: own }: WireObject): readonly WireObject[] {
  const blocks = [...objectsOf(tools), ...objectsOf(system), ...blocksIn(messages)];
  return [...blocks.flatMap((block) => [...objectsOf(block['content']), block]), { cache_control: own }]
    .map(({ cache_control: mark }) => mark)
    .filter(isObject);
}
