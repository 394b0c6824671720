import { addCommon } from './options.ts';
import type { Cli } from './composition/cli.ts';
import type { Command } from 'commander';
import type { ExitCode } from './outcome/exit-code.ts';
import type { StoreCopyOptions } from './commands/store-copy.ts';

/** `store`: what is done with all sessions at once. */
export function addStoreCommands(program: Command, cli: Cli, report: (code: ExitCode) => void): void {
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
