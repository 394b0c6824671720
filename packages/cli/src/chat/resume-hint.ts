import { printable } from '../terminal/printable.ts';
import type { ChatRequest } from './read-chat-config.ts';
import type { ModelDriver } from '@throughline/ports';

type Place = Pick<ChatRequest, 'config' | 'model' | 'baseUrl' | 'workspace'>;
type Named = Pick<ModelDriver, 'name' | 'provider'>;

/** The model of the start, and the one that is in use. */
export interface ModelsOfChat {
  readonly start: Named;
  readonly now: Named;
  /** Where the model of the start is. */
  readonly baseUrl?: string | undefined;
}

/**
 * The command that goes on with a session, with the model that is in use, in the same place. What was allowed is asked
 * anew.
 */
export function resumeHint(sessionId: string, place: Place, models: ModelsOfChat): string {
  const { config, workspace } = place;
  const { model, baseUrl } = models.now.name === models.start.name ? place : modelOptions(models);
  const options = [
    ['--session', sessionId],
    ['--config', config],
    ['--model', model],
    ['--base-url', baseUrl],
    ['--workspace', workspace],
  ] as const;
  const given = options.flatMap(([name, value]) => (value === undefined ? [] : [name, quoted(value)]));
  return printable(['throughline', 'chat', ...given].join(' '));
}

/** Another model of the same provider was asked for at the same address. */
function modelOptions({ start, now, baseUrl }: ModelsOfChat): Pick<Place, 'model' | 'baseUrl'> {
  if (now.provider === 'demo') return { model: 'demo' };
  return { model: now.name, ...(now.provider === start.provider && baseUrl !== undefined && { baseUrl }) };
}

/** As a shell takes it. */
function quoted(value: string): string {
  return /^[\w@%+=:,./~-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
