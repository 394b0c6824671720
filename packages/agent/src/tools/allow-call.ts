import { findImitation } from './find-imitation.ts';
import type { ExecuteContext } from './execute-context.ts';
import type { PreparedCall, Tool, ToolCall } from './tool.ts';

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
