import { slashCommands } from '../commands/commands.ts';
import type { SlashCommand } from '../commands/commands.ts';

/** A command that a message may mean, with what is written behind its name. */
export interface SlashMatch {
  readonly command: SlashCommand;
  readonly text: string;
}

/** More would push the conversation away; whoever looks for another goes on typing. */
const mostMatches = 10;

/**
 * What a message that begins with `/` may mean: commands whose names begin so, or the one whose name it is with text
 * behind it. None for a path, such as `/etc/hosts`: it is a message like any other.
 */
export function slashMatches(message: string, commands = slashCommands()): readonly SlashMatch[] {
  if (!message.startsWith('/')) return [];
  const said = message.slice(1);
  const name = said.toLowerCase();
  const matches = commands.flatMap((command): readonly SlashMatch[] => {
    const slash = command.slash.toLowerCase();
    // Names of several words, as those of models, are many: they wait for their first letter.
    if (name === '' && slash.includes(' ')) return [];
    if (slash.startsWith(name) || slash === name.trimEnd()) return [{ command, text: '' }];
    const isFollowed = name.startsWith(slash) && /^\s/.test(name.slice(slash.length));
    if (!isFollowed || command.takes === undefined) return [];
    return [{ command, text: said.slice(slash.length).trim() }];
  });
  return matches.slice(0, mostMatches);
}
