import { addCommon, parseBaseUrl, parseTokens } from './options.ts';
import { folderOf, startLines } from './chat/state/start-lines.ts';
import type { AcpCommandOptions } from './commands/acp.ts';
import type { ChatOptions } from './chat/read-chat-config.ts';
import type { Command } from 'commander';
import type { CommonOptions } from './composition/cli.ts';
import type { DoctorOptions } from './commands/doctor.ts';
import type { Registration } from './options.ts';
import type { McpCommandOptions } from './commands/mcp.ts';
import type { ProxyCommandOptions } from './commands/proxy.ts';
import type { ServeOptions } from './commands/serve.ts';

/** `chat`: an agent in the terminal. */
export function addChatCommand({ program, cli, version, report }: Registration): void {
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
    .option('--once', 'one message (of the arguments, or all of standard input), and its answer');
  addModelOptions(command);
  addWorkspaceOption(command);
  addToolOptions(command);
  addTrustOptions(command);
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

/** `serve`: the same agent for everybody who speaks HTTP. */
export function addServeCommand({ program, cli, version, report }: Registration): void {
  const command = program
    .command('serve')
    .summary('serve the agent over HTTP')
    .description(
      'Serves the agent over HTTP: an API with events, and the protocols that programs already speak. Listens on this ' +
        'machine alone unless it is told otherwise; other addresses need a token. Without a configuration it is the ' +
        'demo model, which needs no key. See docs/server.md.',
    );
  addListenOptions(command);
  addModelOptions(command);
  addWorkspaceOption(command);
  addTrustOptions(command);
  addCommon(command, cli)
    .addHelpText('after', '\nKeys and tokens are read from the environment: see docs/configuration.md.')
    .action(async (options: ServeOptions) => {
      const { serve } = await import('./commands/serve.ts');
      report(await serve(options, cli, version));
    });
}

/** `proxy`: any client in front of any model server. */
export function addProxyCommand({ program, cli, version, report }: Registration): void {
  const command = program
    .command('proxy')
    .summary('stand in front of a model server, so that no conversation overflows')
    .description(
      'Stands in front of a model server: a client changes its base URL, and its conversations stop overflowing. ' +
        'Speaks Chat Completions, Responses and Anthropic Messages; everything else goes through as it is. ' +
        'See docs/proxy.md.',
    )
    .requiredOption(
      '--upstream <url>',
      'the server that answers, up to and including the version',
      parseBaseUrl,
    )
    .option('--window <tokens>', 'the window of its models (default: what it says itself)', parseTokens)
    .option('--strategy <name>', 'how room is made (default: reactive-overflow)')
    .option('--api-key-env <name>', "the variable with the key to send instead of the caller's")
    .option(
      '--notices <how>',
      'how a client is told of a compaction: none, comment or content (default: none)',
    )
    .option('--recall', 'offer the model a tool that returns what is out of its view, and answer its calls');
  addListenOptions(command);
  addConfigOption(command);
  addTrustOptions(command);
  addCommon(command, cli)
    .addHelpText('after', '\nKeys and tokens are read from the environment: see docs/configuration.md.')
    .action(async (options: ProxyCommandOptions) => {
      const { proxy } = await import('./commands/proxy.ts');
      report(await proxy(options, cli, version));
    });
}

/** `acp`: the same agent inside an editor. */
export function addAcpCommand({ program, cli, version, report }: Registration): void {
  const command = program
    .command('acp')
    .summary('be the agent of an editor (Zed, JetBrains, Neovim)')
    .description(
      'Speaks the Agent Client Protocol over standard input and output: an editor starts it and talks to it. Sessions ' +
        'work in the folder the editor names, with the configuration that holds there. See docs/guides/editors.md.',
    );
  addModelOptions(command);
  addToolOptions(command);
  addTrustOptions(command);
  command
    .addHelpText('after', '\nKeys are read from the environment: see docs/configuration.md.')
    .action(async (options: AcpCommandOptions) => {
      const { acp } = await import('./commands/acp.ts');
      report(await acp(options, cli, version));
    });
}

/** `mcp`: what was said, for other agents. */
export function addMcpCommand({ program, cli, version, report }: Registration): void {
  const command = program
    .command('mcp')
    .summary('let other agents search and recall stored sessions')
    .description(
      'Speaks the Model Context Protocol over standard input and output: Claude Code, Codex, Cursor and others start it ' +
        'and can search, recall and inspect the sessions that are stored here. See docs/guides/mcp.md.',
    );
  addConfigOption(command);
  addTrustOptions(command).action(async (options: McpCommandOptions) => {
    const { mcp } = await import('./commands/mcp.ts');
    report(await mcp(options, cli, version));
  });
}

function addConfigOption(command: Command): Command {
  return command.option('--config <file>', 'the configuration (default: the one that is found)');
}

function addListenOptions(command: Command): Command {
  return command
    .option('--host <host>', 'where to listen (default: 127.0.0.1)')
    .option('--port <port>', 'the port; 0 takes a free one (default: 4100)')
    .option('--token-env <name>', 'the variable that holds the token callers must show');
}

function addModelOptions(command: Command): Command {
  return addConfigOption(command)
    .option('--model <name>', 'the model, such as anthropic:claude-sonnet-5 or ollama:qwen3')
    .option('--base-url <url>', 'where that model is: any server that speaks OpenAI chat', parseBaseUrl);
}

function addWorkspaceOption(command: Command): Command {
  return command.option('--workspace <folder>', 'the folder that tools work in (default: this one)');
}

function addToolOptions(command: Command): Command {
  return command
    .option('--tools <names>', 'offer just these tools, such as read,grep', names)
    .option('--allow <tool>', 'let this tool run without asking; can be repeated', collect)
    .option('--allow-all', 'let every tool run without asking');
}

function addTrustOptions(command: Command): Command {
  return command
    .option('--trust', 'let the configuration of this folder have all that it wants, this time')
    .option('--no-trust', 'take only harmless keys of it');
}

/** Names with commas between them; an empty text is none at all. Can be repeated. */
function names(value: string, before: readonly string[] = []): readonly string[] {
  const given = value.split(',').map((name) => name.trim());
  return [...before, ...given.filter((name) => name !== '')];
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** `config` and `doctor`: what is set up, and whether it works. */
export function addSetupCommands({ program, cli, version, report }: Registration): void {
  const config = program
    .command('config')
    .summary('check the configuration, or print its schema')
    .description('Checks the configuration, or prints its schema. See docs/configuration.md.');
  const check = config
    .command('check')
    .summary('show what is configured, from where, and what is wrong with it')
    .description(
      'Shows which file and variables are used, what they come to with all defaults, and every fault with its line, ' +
        'its key and what is expected there. Starts and asks nothing; keys are not shown.',
    )
    .argument('[file]', 'the configuration (default: the one that is found)');
  addCommon(check, cli).action(async (file: string | undefined, options: CommonOptions) => {
    const { configCheck } = await import('./commands/config.ts');
    report(await configCheck(file, options, cli));
  });
  config
    .command('schema')
    .summary('print the JSON schema for editors')
    .description('Prints the JSON schema of the configuration file, for editors.')
    .action(async () => {
      const { configSchema } = await import('./commands/config.ts');
      report(configSchema(cli));
    });
  const doctor = program
    .command('doctor')
    .summary('look whether all that a session needs is there')
    .description(
      'Looks at runtime, configuration, store, disk, model and its limits, MCP servers, port and sandbox. Asks the ' +
        "model's server for its models, and calls no model; starts the MCP servers, and ends them.",
    )
    .option('--trust', 'let the configuration of this folder have all that it wants');
  addConfigOption(doctor);
  addCommon(doctor, cli).action(async (options: DoctorOptions) => {
    const { doctor: examine } = await import('./commands/doctor.ts');
    report(await examine(options, cli, version));
  });
}
