import { existsSync } from 'node:fs';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { CommandOutput } from './command-output.ts';
import { filterEnvironment } from './filter-environment.ts';
import { runCommand } from './run-command.ts';
import { describeSandbox, sandboxedCommand } from './sandbox.ts';
import type { Tool, ToolContext, ToolReply } from '../tool.ts';
import type { CommandEnd } from './run-command.ts';
import type { Sandbox } from './sandbox.ts';

export interface BashOptions {
  /** Where commands start, and what a sandbox lets them change. */
  readonly root: string;
  readonly sandbox: Sandbox;
  /** Filtered before a command sees it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names that pass the filter although they look like secrets. @default [] */
  readonly allowedEnvironment?: readonly string[];
  /** @default 120_000 */
  readonly timeoutMs?: number;
  /** Most that a call may ask for. @default 600_000 */
  readonly maxTimeoutMs?: number;
}

const maxCommandChars = 100_000;
const maxOutputChars = 30_000;
// Room for the gap's note and the closing line.
const noteChars = 300;

/** `bash`: a command in a shell, in the workspace; it ends with everything it started. */
export function createBashTool(options: BashOptions): Tool {
  const { timeoutMs: defaultMs = 120_000, maxTimeoutMs = 600_000, sandbox } = options;
  return defineTool({
    name: 'bash',
    description:
      'Runs a command in a shell that starts in the workspace. Every call is a new shell without input; background processes end with it. ' +
      `The time limit is ${defaultMs} ms unless timeoutMs says otherwise (at most ${maxTimeoutMs}).`,
    input: z.strictObject({
      command: z
        .string()
        .min(1)
        .max(maxCommandChars)
        .refine((command) => !command.includes('\0'), 'expected no NUL character'),
      timeoutMs: z.int().min(1).max(maxTimeoutMs).optional(),
    }),
    limits: { maxOutputChars },
    approval: 'ask',
    approvalKey: ({ command }) => command,
    warning: describeSandbox(sandbox),
    execute: ({ command, timeoutMs = defaultMs }, context) => run(options, command, timeoutMs, context),
  });
}

async function run(
  options: BashOptions,
  command: string,
  timeoutMs: number,
  context: ToolContext,
): Promise<ToolReply> {
  const { root, sandbox, environment, allowedEnvironment } = options;
  const maxChars = Math.max(0, (context.limits.maxOutputChars ?? maxOutputChars) - noteChars);
  const isKept = context.session.outputs !== undefined;
  await using output = new CommandOutput({ maxChars, isKept, emit: context.emit });
  const flush = (): void => output.flush();
  context.signal.addEventListener('abort', flush, { once: true });
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  const end = await runCommand({
    command: sandboxedCommand(sandbox, root, [shell, '-c', command]),
    cwd: root,
    environment: filterEnvironment(environment, allowedEnvironment),
    timeoutMs,
    signal: context.signal,
    onOutput: (text) => output.add(text),
  });
  context.signal.removeEventListener('abort', flush);
  output.flush();
  return await replyOf(output, end, timeoutMs, context);
}

async function replyOf(
  output: CommandOutput,
  end: CommandEnd,
  timeoutMs: number,
  context: ToolContext,
): Promise<ToolReply> {
  const whole = await output.whole();
  const wholeId = whole && (await context.keep(whole));
  const hint = wholeId === undefined ? '' : `; recall "${wholeId}" returns the whole output`;
  const text = output.text((chars) => `\n[… ${chars} characters left out${hint} …]\n`);
  const lineBreak = text === '' || text.endsWith('\n') ? '' : '\n';
  const { exitCode, exitSignal, durationMs, reason } = end;
  return {
    content: `${text}${lineBreak}[${closingWords(end, timeoutMs)}]`,
    isError: reason !== 'exited' || exitCode !== 0,
    isCancelled: reason === 'cancelled',
    isShortened: output.isCut,
    data: { exitCode, exitSignal, durationMs, reason, ...(wholeId === undefined ? {} : { wholeId }) },
  };
}

function closingWords(end: CommandEnd, timeoutMs: number): string {
  const { reason, exitCode, exitSignal, durationMs, hadLeftovers, error } = end;
  const took = `${(durationMs / 1000).toFixed(1)} s`;
  const words = {
    exited: `exit code ${exitCode ?? `none, ended by ${exitSignal ?? 'a signal'}`}, ${took}`,
    'timed-out': `timed out after ${timeoutMs} ms and was ended`,
    cancelled: `cancelled after ${took}`,
    'not-started': `the command could not be started: ${error ?? 'unknown reason'}`,
  };
  return `${words[reason]}${hadLeftovers ? '; processes it left in the background were ended' : ''}`;
}
