import { printable } from '../terminal/printable.ts';
import type { ChatWishes } from './open-chat-world.ts';

type Place = Pick<ChatWishes, 'config' | 'model' | 'baseUrl' | 'workspace'>;

/** The command that goes on with a session, with the same model in the same place. What was allowed is asked anew. */
export function resumeHint(sessionId: string, { config, model, baseUrl, workspace }: Place): string {
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

/** As a shell takes it. */
function quoted(value: string): string {
  return /^[\w@%+=:,./~-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
