import { Command, CommanderError, Option } from 'commander';
import { formatNames, targetNames } from '@throughline/importers/format-names';
import {
  addCommon,
  fitted,
  parseBaseUrl,
  parseNames,
  parsePins,
  parseSeconds,
  parseTarget,
  parseTokens,
} from './options.ts';
import {
  addAcpCommand,
  addChatCommand,
  addMcpCommand,
  addProxyCommand,
  addServeCommand,
  addSetupCommands,
} from './agent-commands.ts';
import { exitCode, exitCodeHelp } from './outcome/exit-code.ts';
import { jsonText, printableLines } from './terminal/text.ts';
import type { CompactOptions } from './commands/compact.ts';
import type { DemoOptions } from './commands/demo.ts';
import type { ExitCode } from './outcome/exit-code.ts';
import type { Cli } from './composition/cli.ts';
import type { InspectOptions } from './commands/inspect.ts';
import type { Registration } from './options.ts';
import type { ReplayOptions } from './commands/replay.ts';
import type { StoreCopyOptions } from './commands/store-copy.ts';

// Written out, because `--help` must not wait for the engine; a test compares them with what the engine knows.
export const strategyChoices = [
  'reactive-overflow',
  'proactive-threshold',
  'threshold-tail',
  'middle-removal',
  'pruning-agent',
  'digest',
] as const;
const summaryChoices = ['code', 'stand-in'] as const;
export const profileChoices = ['coding', 'cms', 'general'] as const;

/** Runs one command line, without the program's name, to its exit code. Commands are loaded when they are called. */
export async function runCommandLine(args: readonly string[], cli: Cli, version: string): Promise<ExitCode> {
  let code: ExitCode = exitCode.ok;
  const program = createProgram({ cli, version, report: (result) => (code = result) });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCode.ok;
    if (args.includes('--json')) cli.out(jsonText({ error: { code: 'usage', message: sentenceOf(error) } }));
    return exitCode.usage;
  }
}

function sentenceOf({ message }: CommanderError): string {
  return message.replace(/^error: /, '').trim();
}

/** In the order in which `--help` has them. */
const commands = [
  addInspect,
  addCompact,
  addReplay,
  addDemo,
  addChatCommand,
  addServeCommand,
  addProxyCommand,
  addAcpCommand,
  addMcpCommand,
  addStore,
  addSetupCommands,
];

function createProgram({ cli, version, report }: Omit<Registration, 'program'>): Command {
  const program = new Command('throughline')
    .description('Shows where the context of a recorded agent session went, and makes it smaller.')
    .version(version, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'show the options of a command')
    // Beside the longest option a terminal of 40 columns has room for words, though not for many.
    .configureHelp({ minWidthToWrap: 12 })
    .addHelpText('after', `\n${examples}\n\n${fitted(exitCodeHelp, cli)}`)
    .configureOutput({
      writeOut: (text) => cli.out(text),
      // What was typed stands in it, and may come from a script.
      writeErr: (text) => cli.err(printableLines(text).join('\n')),
      getOutHelpWidth: () => Math.max(40, Math.min(100, cli.columns)),
      getErrHelpWidth: () => 80,
      outputError: (text, write) => write(`throughline: ${text.replace(/^error: /, '')}`),
    })
    .showHelpAfterError('(throughline --help shows what there is)')
    .exitOverride();
  for (const add of commands) add({ program, cli, version, report });
  return program;
}

const examples = `Examples:
  throughline inspect session.jsonl
  throughline compact session.jsonl --window 64k --out smaller.jsonl
  throughline compact smaller.jsonl --undo --out as-it-was.jsonl
  throughline replay session.jsonl --window 64k
  cat request.json | throughline inspect - --json`;

function addInspect({ program, cli, report }: Registration): void {
  const command = program
    .command('inspect')
    .summary('show where the tokens of a session went')
    .description(
      'Shows where the tokens went: per role, tool and turn, the largest items, what was read twice, what the provider ' +
        'counted, and what pruning or a compaction would free now.',
    )
    .argument('<file...>', 'recorded sessions; - reads standard input');
  addReading(command)
    .option('--window <tokens>', 'the context window, such as 64k (default: that of the model)', parseTokens)
    .option('--model <id>', 'the model whose window counts (default: the recorded one)')
    .option('--exact', "count with OpenAI's byte-pair encoding instead of the fast estimate");
  addCommon(command, cli).action(async (files: string[], options: InspectOptions) => {
    const { inspect } = await import('./commands/inspect.ts');
    report(await inspect(files, options, cli));
  });
}

function addCompact({ program, cli, report }: Registration): void {
  const command = program
    .command('compact')
    .summary('make a session smaller, and say what was done')
    .description(
      'Compacts a session to fit a window, and reports what was done. Writes nothing without --out; with it the ' +
        'compacted transcript in its own format, and the state beside it, from which a later compaction goes on.',
    )
    .argument('<file>', 'a recorded session; - reads standard input');
  addReading(command)
    .option(
      '--window <tokens>',
      'the context window to fit, such as 64k (default: that of the model)',
      parseTokens,
    )
    .addOption(
      new Option('--strategy <name>', 'how to compact').choices(strategyChoices).default('reactive-overflow'),
    )
    .addOption(
      new Option('--profile <name>', 'what the summary tells (default: coding)').choices(profileChoices),
    )
    .option('--profile-file <file>', "your own prompt for the summary, instead of a profile's")
    .option('--model <id>', 'the model that writes the summary; alone, the model whose window counts')
    .option('--base-url <url>', 'where to ask that model: any server that speaks OpenAI chat', parseBaseUrl)
    .option('--timeout <seconds>', 'time for one answer of the model (default: 300)', parseSeconds)
    .option('--focus <text>', 'what the summary should pay attention to')
    .option('--pin <ids>', 'messages to keep as they are, such as m12,m40', parsePins)
    .option('--out <file>', 'write the compacted transcript here, and its state beside it')
    .addOption(
      new Option('--to <format>', 'write a request in this format instead')
        .choices(targetNames)
        .argParser(parseTarget(targetNames)),
    )
    .option('--force', 'overwrite what --out names (never the input)')
    .option('--undo', 'take the last compaction back')
    .option('--fresh', 'go on from no earlier compaction')
    .option('--exact', "count with OpenAI's byte-pair encoding instead of the fast estimate")
    .option('--full', 'print all of a long summary');
  addCommon(command, cli)
    .addHelpText(
      'after',
      '\nThe key for --base-url is read from THROUGHLINE_API_KEY; OPENAI_API_KEY is sent\nto https://api.openai.com only.',
    )
    .action(async (file: string, options: CompactOptions) => {
      const { compact } = await import('./commands/compact.ts');
      report(await compact(file, options, cli));
    });
}

function addReplay({ program, cli, report }: Registration): void {
  const command = program
    .command('replay')
    .summary('show what each strategy would have cost and kept')
    .description(
      'Replays a session request by request under each strategy, asks no model, and writes nothing. Shows requests ' +
        'over the window, cost, what came from the cache, and how much of what the agent used again was still there.',
    )
    .argument('<file...>', 'recorded sessions; - reads standard input');
  addReading(command)
    .option('--window <tokens>', 'the context window, such as 64k (default: that of the model)', parseTokens)
    .addOption(
      new Option(
        '--strategy <names>',
        'strategies to compare with no management, such as digest,middle-removal; can be repeated ' +
          '(default: all but pruning-agent)',
      ).argParser(parseNames(strategyChoices)),
    )
    .option('--model <id>', 'the model whose window and prices count (default: the recorded one)')
    .addOption(
      new Option('--summaries <by>', 'who writes the summaries that a model would (default: code)').choices(
        summaryChoices,
      ),
    )
    .option('--exact', "count with OpenAI's byte-pair encoding instead of the fast estimate");
  addCommon(command, cli).action(async (files: string[], options: ReplayOptions) => {
    const { replay } = await import('./commands/replay.ts');
    report(await replay(files, options, cli));
  });
}

function addDemo({ program, cli, report }: Registration): void {
  const command = program
    .command('demo')
    .summary('inspect and compact a bundled example')
    .description('Inspects and compacts an example session that comes with the program, and writes nothing.');
  addCommon(command, cli).action(async (options: DemoOptions) => {
    const { demo } = await import('./commands/demo.ts');
    report(await demo(options, cli));
  });
}

/** `store`: what is done with all sessions at once. */
function addStore({ program, cli, report }: Registration): void {
  const store = program
    .command('store')
    .summary('copy all sessions into another store')
    .description('What is done with all stored sessions at once. See docs/storage.md.');
  const copy = store
    .command('copy')
    .summary('copy all sessions into another store')
    .description(
      'Copies all sessions of all owners, and compares what comes out of both stores. Can be interrupted and started ' +
        'again: what is there already is compared and passed by. Nothing is changed where it comes from. A store is a ' +
        "file of SQLite, postgres://user@host/database, or '${NAME}' for the variable that holds such an address.",
    )
    .argument('<from>', 'the store that has the sessions')
    .argument('<to>', 'the store that gets them; made where it is not there')
    .option('--from-blobs <folder>', 'its folder of blobs (default: blobs beside the file; in the database)')
    .option('--to-blobs <folder>', 'the same of the other one; for Postgres also s3://bucket/prefix')
    .option('--replace', 'copy over sessions of the same id that have other content');
  addCommon(copy, cli).action(async (from: string, to: string, options: StoreCopyOptions) => {
    const { storeCopy } = await import('./commands/store-copy.ts');
    report(await storeCopy([from, to], options, cli));
  });
}

function addReading(command: Command): Command {
  return command
    .option('--session <n>', 'another session of the file, by its number or id')
    .option('--whole', 'everything as one conversation, also what the tool had archived')
    .addOption(
      new Option('--format <name>', 'what the file is (default: found by its content)').choices(formatNames),
    );
}
