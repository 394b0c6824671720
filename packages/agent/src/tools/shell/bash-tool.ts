import { existsSync } from 'node:fs';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { createGuard } from '../guard/guard.ts';
import { mountArguments, protectedWords } from '../guard/mount-arguments.ts';
import { maxEntries, surveyOf } from '../guard/survey.ts';
import { watchForPlanted } from '../guard/watch-for-planted.ts';
import { CommandOutput } from './command-output.ts';
import { runCommand } from './run-command.ts';
import { describeSandbox, sandboxedCommand } from './sandbox.ts';
import type { Guard } from '../guard/guard.ts';
import type { Settled } from '../guard/watch-for-planted.ts';
import type { Tool, ToolContext, ToolReply } from '../tool.ts';
import type { CommandEnd } from './run-command.ts';
import type { Sandbox } from './sandbox.ts';

/** How commands run, and what they can reach. */
export interface BashOptions {
  /** Where commands start, and what a sandbox lets them change. */
  readonly root: string;
  /** What `detectSandbox` found. Under one of type `none` commands are not held in at all. */
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

const secretInUrl = /:\/\/[^\s/@]*:[^\s/@]+@/;

/** Variables that say where and in which language one works, and where tools are. */
const known: ReadonlySet<string> = new Set(
  `
  PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TMP TEMP PWD HOSTNAME
  XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME
  NODE_ENV NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME
  VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYTHONPATH PYTHONUNBUFFERED PIPX_HOME UV_CACHE_DIR
  CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN GOPATH GOROOT GOCACHE GOMODCACHE GOFLAGS JAVA_HOME ANDROID_HOME GRADLE_USER_HOME
  MAVEN_HOME M2_HOME RBENV_ROOT GEM_HOME GEM_PATH ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR HOMEBREW_PREFIX
  DOTNET_ROOT MANPATH INFOPATH LD_LIBRARY_PATH PKG_CONFIG_PATH CC CXX NIX_PATH NIX_SSL_CERT_FILE SSL_CERT_FILE SSL_CERT_DIR
  SOURCE_DATE_EPOCH CI NO_COLOR FORCE_COLOR
  `
    .trim()
    .split(/\s+/),
);

/** Shells run commands from these before the one they were given. */
const startFiles: ReadonlySet<string> = new Set(['BASH_ENV', 'ENV']);

/** What commands get instead of what a person at a terminal has: no pager and no question waits for a key. */
const fixed = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/**
 * The environment of a command: known variables (`PATH`, `HOME`, `LC_*` …) whose value is no URL with a password, and
 * those whose names are `allowed`. No list of what looks like a secret is ever complete.
 */
export function filterEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[] = [],
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || startFiles.has(name)) return [];
    const isKnown = (known.has(name) || /^LC_[A-Z]+$/.test(name)) && !secretInUrl.test(value);
    return isKnown || allowed.includes(name) ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(kept), ...fixed };
}
