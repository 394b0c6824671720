import { existsSync } from 'node:fs';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { createGuard } from '../guard/guard.ts';
import { mountArguments } from '../guard/mount-arguments.ts';
import { protectedWords } from '../guard/protected-words.ts';
import { maxEntries, surveyOf } from '../guard/survey.ts';
import { watchForPlanted } from '../guard/watch-for-planted.ts';
import { CommandOutput } from './command-output.ts';
import { filterEnvironment } from './filter-environment.ts';
import { runCommand } from './run-command.ts';
import { describeSandbox, sandboxedCommand } from './sandbox.ts';
import type { Guard } from '../guard/guard.ts';
import type { Settled } from '../guard/watch-for-planted.ts';
import type { Tool, ToolContext, ToolReply } from '../tool.ts';
import type { CommandEnd } from './run-command.ts';
import type { Sandbox } from './sandbox.ts';

export interface BashOptions {
  /** Where commands start, and what a sandbox lets them change. */
  readonly root: string;
  readonly sandbox: Sandbox;
  /** What the sandbox hides and protects. @default that of the root, with the known secrets and names */
  readonly guard?: Guard;
  /** Filtered before a command sees it: well-known variables pass. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of further variables that pass. @default [] */
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
      'Runs a command in a new shell in the workspace, without input; background processes end with it. ' +
      `timeoutMs: ${defaultMs} unless given, at most ${maxTimeoutMs}.`,
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
  const maxChars = Math.max(0, (context.limits.maxOutputChars ?? maxOutputChars) - noteChars);
  const isKept = context.session.outputs !== undefined;
  await using output = new CommandOutput({ maxChars, isKept, emit: context.emit });
  const flush = (): void => output.flush();
  context.signal.addEventListener('abort', flush, { once: true });
  const held = await holdIn(options, command);
  const end = await runCommand({
    command: held.command,
    cwd: options.root,
    environment: filterEnvironment(options.environment, options.allowedEnvironment),
    timeoutMs,
    signal: AbortSignal.any([context.signal, ...held.signals]),
    onOutput: (text) => output.add(text),
  });
  const settled = await held.settle();
  context.signal.removeEventListener('abort', flush);
  output.flush();
  return await replyOf(output, { ...end, ...settled }, timeoutMs, context);
}

interface HeldCommand {
  readonly command: readonly string[];
  /** The command is to end when one of them is aborted. */
  readonly signals: readonly AbortSignal[];
  /** To be called at its end. */
  readonly settle: () => Promise<HeldIn>;
}

interface HeldIn extends Settled {
  /** Why its output may say that something could not be changed. */
  readonly explain: (output: string) => string | undefined;
}

const notHeld: HeldIn = { moved: new Map(), isPartial: false, explain: () => undefined };

async function holdIn(
  { root, sandbox, guard = createGuard(root) }: BashOptions,
  command: string,
): Promise<HeldCommand> {
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  const started = [shell, '-c', command];
  if (sandbox.type === 'none')
    return { command: started, signals: [], settle: () => Promise.resolve(notHeld) };
  const survey = await surveyOf(guard);
  const { signal, settle } = watchForPlanted(guard, survey);
  const held = sandboxedCommand(sandbox, root, mountArguments(guard, survey), started);
  const explain: HeldIn['explain'] = (output) => protectedWords(guard, survey, output);
  return { command: held, signals: [signal], settle: async () => ({ ...(await settle()), explain }) };
}

type HeldEnd = CommandEnd & HeldIn;

async function replyOf(
  output: CommandOutput,
  end: HeldEnd,
  timeoutMs: number,
  context: ToolContext,
): Promise<ToolReply> {
  const whole = await output.whole();
  const wholeId = whole && (await context.keep(whole));
  const hint = wholeId === undefined ? '' : `; recall "${wholeId}" returns the whole output`;
  const text = output.text((chars) => `\n[… ${chars} characters left out${hint} …]\n`);
  const lineBreak = text === '' || text.endsWith('\n') ? '' : '\n';
  const { exitCode, exitSignal, durationMs, reason, moved } = end;
  const isRefused = moved.size > 0;
  const closing = [
    isRefused ? plantedWords(moved) : closingWords(end, timeoutMs),
    end.explain(text),
    end.isPartial ? tooLarge : undefined,
  ]
    .filter((words) => words !== undefined)
    .join('; ');
  return {
    content: `${text}${lineBreak}[${closing}]`,
    isError: isRefused || reason !== 'exited' || exitCode !== 0,
    isCancelled: context.signal.aborted && reason === 'cancelled',
    isTruncated: output.isCut,
    data: { exitCode, exitSignal, durationMs, reason, ...(wholeId === undefined ? {} : { wholeId }) },
  };
}

function plantedWords(planted: Settled['moved']): string {
  // What is in a repository that was set aside is set aside, too: that goes without saying.
  const asides = [...planted.values()].map((aside) => `${aside}/`);
  const outermost = [...planted].filter(([path]) => !asides.some((aside) => path.startsWith(aside)));
  const moved = outermost.slice(0, 5).map(([path, aside]) => `${path} (now ${aside})`);
  return (
    `refused and ended: programs outside the sandbox run or obey ${moved.join(', ')}. A command may not make that; ` +
    'write makes single files, and asks the user. A repository may be made without hooks, includes and settings that ' +
    'run something; what is more is for the user to make'
  );
}

const tooLarge =
  `the workspace has more than ${maxEntries / 1_000},000 entries: not all of it was looked at for files that programs ` +
  'outside the sandbox run or obey';

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
