import type { ModelWarning } from '@throughline/ports';
import type { AgentEvents } from '../events/agent-event.ts';

type Describers = {
  readonly [Type in ModelWarning['type']]: (warning: Extract<ModelWarning, { type: Type }>) => string;
};

const describers: Describers = {
  'prompt-cut': ({ promptTokens, expectedTokens }) =>
    `The server counted ${promptTokens} tokens where about ${Math.round(expectedTokens)} were sent: it cuts prompts without saying so. Check the window it was started with.`,
  'beyond-window': ({ promptTokens, windowTokens }) =>
    `The server took ${promptTokens} tokens; its window was believed to be ${windowTokens}.`,
  'left-out': ({ what, message }) => `${what} was left out of the request: ${message}`,
};

/** What a driver warns of, as it is told. */
export function describeWarning<Type extends ModelWarning['type']>(
  warning: Extract<ModelWarning, { type: Type }>,
): AgentEvents['context:warning'] {
  const describe: Describers[Type] = describers[warning.type];
  return { warning: warning.type, message: describe(warning) };
}
