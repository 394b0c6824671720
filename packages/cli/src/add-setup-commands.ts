import { addCommon } from './common-options.ts';
import type { Command } from 'commander';
import type { DoctorOptions } from './commands/doctor.ts';
import type { CommonOptions } from './commands/run.ts';
import type { ExitCode } from './exit-code.ts';
import type { Cli } from './cli.ts';

/** `config` and `doctor`: what is set up, and whether it works. */
export function addSetupCommands(program: Command, cli: Cli, report: (code: ExitCode) => void): void {
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
    .option('--config <file>', 'the configuration (default: the one that is found)')
    .option('--trust', 'let the configuration of this folder have all that it wants');
  addCommon(doctor, cli).action(async (options: DoctorOptions) => {
    const { doctor: examine } = await import('./commands/doctor.ts');
    report(await examine(options, cli));
  });
}
