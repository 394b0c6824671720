import { countTools } from '../tokens/measure-entry.ts';
import { fixedKey } from './fixed-key.ts';
import { toActual } from '../budget/token-scale.ts';
import type { Pass } from './pass.ts';

// Beyond it a conversation has less room than what stands in front of it.
const mostShare = 0.5;
const mostNamed = 4;

/** Whether system text and tools take most of what is usable: then a pass gains little, however well it is made. */
export function isCrowded({ tokenScale, budget }: Pass): boolean {
  return toActual(tokenScale, 0) > budget.usableTokens * mostShare;
}

/**
 * What is in the way and what to do about it, in a sentence; `undefined` where nothing is, or where it was said of this
 * system text and these tools before.
 */
export function crowdedWarning(pass: Pass): string | undefined {
  const { transcript, state, tokenScale, budget } = pass;
  if (!isCrowded(pass) || state.crowdedKey === fixedKey(transcript)) return undefined;
  const fixedTokens = Math.round(toActual(tokenScale, 0));
  const percent = Math.round((fixedTokens / budget.usableTokens) * 100);
  const biggest = partsOf(pass).map(({ name, tokens }) => `${name} ${tokens}`);
  const named = biggest.length > 0 ? ` The biggest parts: ${biggest.join(', ')}.` : '';
  return `System text and tools take ${fixedTokens} of the ${budget.usableTokens} usable tokens (${percent} %): little is left for the conversation, and it is compacted often.${named} Switch off tools that are not needed, cut the system text, or give the model a larger window.`;
}

function partsOf({ transcript, tokenScale }: Pass): { readonly name: string; readonly tokens: number }[] {
  const { systemTokens, tools, estimator } = transcript;
  const parts = tools.map((tool) => ({ name: toolName(tool), tokens: countTools([tool], estimator) }));
  // As the provider counts them: what it adds of its own lies on all of them.
  const estimated = systemTokens + parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const scale = toActual(tokenScale, 0) / Math.max(1, estimated);
  return [{ name: 'system text', tokens: systemTokens }, ...parts]
    .map(({ name, tokens }) => ({ name, tokens: Math.round(tokens * scale) }))
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, mostNamed);
}

/** In whatever format it is described. */
function toolName(tool: unknown): string {
  const {
    name,
    function: called,
    type,
  } = (tool ?? {}) as {
    readonly name?: unknown;
    readonly function?: { readonly name?: unknown };
    readonly type?: unknown;
  };
  const known = [name, called?.name, type].find((one) => typeof one === 'string' && one !== '');
  return typeof known === 'string' ? known : 'a tool';
}
