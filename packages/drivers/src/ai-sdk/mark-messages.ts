import type { Instructions, ModelMessage, SystemModelMessage } from 'ai';

const mark = { type: 'ephemeral' } as const;
/** Most marks that Anthropic accepts in one request. */
const maxMarks = 4;

export interface Prompt {
  readonly instructions: Instructions | undefined;
  readonly messages: readonly ModelMessage[];
}

/**
 * The prompt with Anthropic's cache marks, as the AI SDK's provider packages read them: on the system text, which the
 * tools stand before, and on the last two messages, so that a note behind the newest one does not cost the mark that the
 * next request profits from. At most four with those that are there; copies, so that nothing that is kept carries one.
 */
export function markMessages({ instructions, messages }: Prompt): Prompt {
  let free = maxMarks - listOf(instructions).reduce(addMarks, 0) - messages.reduce(addMarks, 0);
  const spend = <Message extends ModelMessage>(message: Message): Message => {
    if (free <= 0 || addMarks(0, message) > 0) return message;
    free -= 1;
    return marked(message);
  };
  const newest = messages.slice(-2).reverse().map(spend).reverse();
  const system = listOf(instructions);
  const last = system.at(-1);
  return {
    instructions: last ? system.with(-1, spend(last)) : instructions,
    messages: [...messages.slice(0, messages.length - newest.length), ...newest],
  };
}

function listOf(instructions: Instructions | undefined): SystemModelMessage[] {
  if (instructions === undefined || instructions === '') return [];
  if (typeof instructions === 'string') return [{ role: 'system', content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
}

function marked<Message extends ModelMessage>(message: Message): Message {
  const { providerOptions } = message;
  const anthropic = { ...providerOptions?.['anthropic'], cacheControl: mark };
  return { ...message, providerOptions: { ...providerOptions, anthropic } };
}

/** Marks on the message and on its parts. */
function addMarks(sum: number, { providerOptions, content }: ModelMessage): number {
  const parts = typeof content === 'string' ? [] : (content as readonly { providerOptions?: unknown }[]);
  return [providerOptions, ...parts.map((part) => part.providerOptions)].filter(isMark).length + sum;
}

function isMark(options: unknown): boolean {
  const { anthropic } = (options ?? {}) as { readonly anthropic?: Readonly<Record<string, unknown>> };
  return anthropic?.['cacheControl'] !== undefined || anthropic?.['cache_control'] !== undefined;
}
