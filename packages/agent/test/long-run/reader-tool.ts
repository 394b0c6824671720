import { z } from 'zod';
import { defineTool } from '../../src/index.ts';
import type { Tool } from '../../src/index.ts';

/** A tool that may run twice and has much to say. */
export function createReader(name: string): Tool {
  return defineTool({
    name,
    description: 'Reads much.',
    input: z.strictObject({ of: z.string() }),
    reads: () => [],
    execute: ({ of }) =>
      Array.from({ length: 500 }, (_, line) => `${of} has in line ${line} this`).join('\n'),
  });
}
