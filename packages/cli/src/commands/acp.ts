import { errorMessage } from '@throughline/core/settings';
import { exitCode } from '../outcome/exit-code.ts';
import { openPlaces } from '../acp/open-places.ts';
import { printableLines } from '../terminal/text.ts';
import { run } from '../composition/cli.ts';
import { serveAcp } from '@throughline/server';
import { usageFailure } from '../outcome/failure.ts';
import type { ChatRequest } from '../chat/read-chat-config.ts';
import type { Cli } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';

export type AcpCommandOptions = Omit<ChatRequest, 'workspace' | 'json'>;

/** `throughline acp`: until the editor closes standard input, or the program is told to stop. */
export function acp(options: AcpCommandOptions, cli: Cli, version: string): Promise<ExitCode> {
  return run(cli, {}, async () => {
    if (cli.terminal)
      throw usageFailure(
        'An editor starts this command and talks to it. To talk to the agent yourself: throughline chat.',
      );
    const pipes = cli.openPipes();
    const stopped = cli.watchStops();
    await using places = await openPlaces(options, cli);
    const onFault = (error: unknown): void => {
      const shown = errorMessage(error);
      cli.err(`throughline: ${printableLines(shown).join('\n')}\n`);
    };
    await serveAcp(pipes, { places, version, onFault }, stopped);
    pipes.input.destroy();
    return exitCode.ok;
  });
}
