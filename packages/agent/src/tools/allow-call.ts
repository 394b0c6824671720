import { parsePlaceholder } from '@throughline/core/internal';
import type { Json } from '@throughline/core/codec';
import type { ExecuteContext, PreparedCall, Tool, ToolCall } from './tool.ts';

/** A call that may run, or why it may not, in words for the model. */
export type AllowedCall =
  | { readonly type: 'allowed'; readonly tool: Tool; readonly prepared: PreparedCall }
  | { readonly type: 'refused'; readonly reason: string; readonly isCancelled?: boolean };

/** What can be said about a call at once: whether its tool exists and its arguments are in order. */
export function openCall(call: ToolCall, tools: readonly Tool[]): AllowedCall {
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) {
    const known = tools.map(({ name }) => name).join(', ') || 'none';
    return { type: 'refused', reason: `There is no tool ${JSON.stringify(call.name)}. Tools: ${known}.` };
  }
  // Some models send nothing where there are no arguments.
  const isEmpty = call.input === null || call.input === '';
  const prepared = tool.prepare(isEmpty ? {} : call.input);
  if (prepared.type === 'bad-input') return { type: 'refused', reason: prepared.message };
  return { type: 'allowed', tool, prepared };
}

/** Asks what takes time: whether the arguments imitate a placeholder, then whether the call is approved. Never throws. */
export async function allowCall(
  call: ToolCall,
  opened: AllowedCall,
  context: ExecuteContext,
): Promise<AllowedCall> {
  if (opened.type === 'refused') return opened;
  const { tool, prepared } = opened;
  try {
    const imitated = tool.takesPlaceholders === true ? undefined : await imitationIn(call, context);
    if (imitated !== undefined) return { type: 'refused', reason: imitationReason(imitated) };
    const decision = await context.decide(call, tool, prepared, context.signal);
    if (decision.type === 'allowed') return opened;
    return { type: 'refused', reason: decision.reason, isCancelled: context.signal.aborted };
  } catch (error) {
    return { type: 'refused', reason: `The call could not be approved: ${String(error)}` };
  }
}

async function imitationIn(call: ToolCall, { session }: ExecuteContext): Promise<string | undefined> {
  const { recall } = session;
  if (!recall) return undefined;
  return await findImitation(call.input, async (id) => (await recall.get(id)) !== undefined);
}

function imitationReason(recallId: string): string {
  return (
    `The arguments hold the placeholder of ${recallId}: it stands for a text that was taken out of view and is not that text. ` +
    `Nothing was done. Get the text with recall (id "${recallId}"), then call again with the text itself.`
  );
}

// Longer than any placeholder up to the end of its ids.
const window = 120;
const maxTried = 50;

/**
 * The first placeholder in the arguments whose original exists: the model repeats what stands for a text instead of the
 * text. Grammar alone is not enough (a text may be about placeholders), nor is an id.
 */
async function findImitation(
  input: Json,
  exists: (recallId: string) => Promise<boolean>,
): Promise<string | undefined> {
  const tried = new Set<string>();
  for (const text of stringsIn(input)) {
    for (let at = text.indexOf('['); at >= 0 && tried.size < maxTried; at = text.indexOf('[', at + 1)) {
      const end = text.indexOf('[', at + 1);
      const found = parsePlaceholder(text.slice(at, Math.min(at + window, end < 0 ? Infinity : end)));
      if (!found || tried.has(found.recallId)) continue;
      tried.add(found.recallId);
      if (await exists(found.recallId)) return found.recallId;
    }
  }
  return undefined;
}

/** All strings of a value, keys included. Nesting of any depth. */
function* stringsIn(value: Json): Generator<string> {
  const left: Json[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') yield next;
    else if (typeof next === 'object' && next !== null) {
      for (const key of Object.keys(next)) yield key;
      left.push(...Object.values(next).filter((one) => one !== undefined));
    }
  }
}
