import { appendFile } from 'node:fs/promises';
import { z } from 'zod';
import { defineTool } from '../../src/index.ts';
import type { Tool } from '../../src/index.ts';

/** A tool that must not run twice: every run leaves a line in a file, whatever the store knows of it. */
export function createJournalTool(
  name: string,
  file: string,
  pause: () => Promise<unknown> = async () => undefined,
): Tool {
  return defineTool({
    name,
    description: 'Notes a line.',
    input: z.strictObject({ line: z.string() }),
    execute: async ({ line }, { emit }) => {
      emit(`noting ${line}`);
      await pause();
      await appendFile(file, `${line}\n`);
      await pause();
      return `noted ${line}`;
    },
  });
}
