import { limitsOf } from '../composition/limits-of.ts';
import { parted, shownFolder } from './start-lines.ts';
import { shortTokens } from '../terminal/numbers.ts';
import type { Config } from '@throughline/config';

/** Model and window, before the store is opened and a server is asked; the folder where it is not the one that was told. */
export function configLines({ model, agent }: Config, toldFolder: string, columns: number): string {
  const { window } = limitsOf(model);
  const tokens = shortTokens(window.tokens);
  return parted(
    [
      model.provider === 'demo' ? 'demo:scripted' : `${model.provider}:${model.name}`,
      window.source === 'default'
        ? `window ${tokens} assumed (model.windowTokens sets it) unless the server says more`
        : `window ${tokens}`,
      ...(agent.workspace === toldFolder ? [] : [`works in ${shownFolder(agent.workspace)}`]),
    ],
    columns,
  );
}
