#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { exitCode } from './outcome/exit-code.ts';
import { readFileSync } from 'node:fs';
import { runCommandLine } from './command-line.ts';
import type { Cli } from './composition/cli.ts';

// Loading the engine from the cache saves a third of the time of a short command.
enableCompileCache();

const cli: Cli = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  columns: columnsOf(process.env['COLUMNS']) ?? columnsOf(process.stdout.columns) ?? 80,
  hasColor: showsColor(),
  showsProgress: process.stderr.isTTY && process.env['TERM'] !== 'dumb',
  env: process.env,
  watchInterrupts: () => watch(['SIGINT']),
  watchStops: () => watch(['SIGINT', 'SIGTERM']),
  readInput: () => process.stdin.setEncoding('utf8'),
  openPipes,
  async compose() {
    const { realComposition } = await import('./composition/real-composition.ts');
    return realComposition;
  },
  get workingFolder() {
    return process.cwd();
  },
  terminal: findTerminal(),
  now: () => Date.now(),
};

function findTerminal(): Cli['terminal'] {
  const { stdin: input, stdout: output } = process;
  return input.isTTY && output.isTTY && process.env['TERM'] !== 'dumb' ? { input, output } : undefined;
}

/** What the user says of the width goes before what the terminal says; where the output is piped nobody else knows. A terminal without a size says 0. */
function columnsOf(said: string | number | undefined): number | undefined {
  const columns = Number(said);
  return Number.isInteger(columns) && columns > 0 ? columns : undefined;
}

function showsColor(): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return process.stdout.isTTY && TERM !== 'dumb';
}

function openPipes(): ReturnType<Cli['openPipes']> {
  const { stdin: input, stdout: output } = process;
  // What libraries tell people would be a broken message.
  console.log = console.info = console.debug = console.error;
  // Whoever reads it ends the conversation by closing the input, too.
  output.off('error', endQuietly).on('error', () => {});
  return { input, output };
}

/** Whoever reads our output may stop reading: that is no fault. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? exitCode.ok);
  process.stderr.write(`throughline: The output could not be written: ${error.message}.\n`);
  process.exit(exitCode.unwritable);
}
process.stdout.on('error', endQuietly);
process.stderr.on('error', () => process.exit(process.exitCode ?? exitCode.unwritable));

/** The first signal lets a command end by itself; the second does not wait. */
function watch(signals: readonly NodeJS.Signals[]): AbortSignal {
  const interruption = new AbortController();
  for (const signal of signals) {
    process.on(signal, () => {
      if (interruption.signal.aborted) process.exit(exitCode.interrupted);
      interruption.abort();
    });
  }
  return interruption.signal;
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

process.exitCode = await runCommandLine(process.argv.slice(2), cli, version());
