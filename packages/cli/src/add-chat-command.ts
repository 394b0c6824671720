import { addCommon } from './common-options.ts';
import { folderOf, startLines } from './chat/start-lines.ts';
import { parseBaseUrl } from './reading/parse-options.ts';
import type { ChatOptions } from './commands/chat.ts';
import type { Command } from 'commander';
import type { ExitCode } from './exit-code.ts';
import type { Cli } from './cli.ts';

/** `chat`: an agent in the terminal. */
export function addChatCommand(
  program: Command,
  cli: Cli,
  version: string,
  report: (code: ExitCode) => void,
): void {
  const command = program
    .command('chat')
    .summary('talk to an agent that never outgrows its window')
    .description(
      'Talks to an agent with tools over a folder. Sessions are kept and can be resumed. Without a configuration it is ' +
        'the demo model, which needs no key. Without a terminal each line of standard input is a message, and the ' +
        'answers go to standard output. See docs/chat.md.',
    )
    .argument('[prompt...]', 'the first message; without a terminal the only one')
    .option('--session <id>', 'go on with this session')
    .option('--continue', 'go on with the session of this folder that was used last')
    .option('--once', 'one message (of the arguments, or all of standard input), and its answer')
    .option('--config <file>', 'the configuration (default: the one that is found)')
    .option('--model <name>', 'the model, such as anthropic:claude-sonnet-5 or ollama:qwen3')
    .option('--base-url <url>', 'where that model is: any server that speaks OpenAI chat', parseBaseUrl)
    .option('--workspace <folder>', 'the folder that tools work in (default: this one)')
    .option('--tools <names>', 'offer just these tools, such as read,grep', names)
    .option('--allow <tool>', 'let this tool run without asking; can be repeated', collect)
    .option('--allow-all', 'let every tool run without asking')
    .option('--trust', 'let the configuration of this folder have all that it wants, this time')
    .option('--no-trust', 'take only harmless keys of it');
  addCommon(command, cli)
    .addHelpText('after', '\nKeys are read from the environment: see docs/configuration.md.')
    .action(async (prompt: string[], options: ChatOptions) => {
      // Before anything is loaded: whoever waits knows for what.
      if (cli.terminal && options.once !== true && options.json !== true) {
        const folder = folderOf(options.workspace, cli.env, cli.workingFolder);
        const model = options.model ?? cli.env['THROUGHLINE_MODEL'];
        cli.out(startLines({ version, folder, model, columns: cli.columns }));
      }
      const { chat } = await import('./commands/chat.ts');
      report(await chat(prompt, options, cli));
    });
}

/** Names with commas between them; an empty text is none at all. Can be repeated. */
function names(value: string, before: readonly string[] = []): readonly string[] {
  const given = value.split(',').map((name) => name.trim());
  return [...before, ...given.filter((name) => name !== '')];
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
