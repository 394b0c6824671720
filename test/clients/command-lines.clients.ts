import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { commandLines } from './command-lines.ts';
import { createProject, install, run, startProxyProcess } from './run-command-line.ts';
import { createWork } from './scripted-work.ts';
import type { CommandLine } from './command-lines.ts';
import type { Ended } from './run-command-line.ts';
import type { StrictUpstream, UpstreamRequest } from '@throughline/testkit';
import type { TestContext } from 'vitest';
import type { Work } from './scripted-work.ts';

const windows = 10;
const stepBytes = 16_000;
/** What the upstream counts for a step, and somewhat less. */
const stepTokens = stepBytes / 4;
const timeoutMs = 600_000;

interface Setting {
  readonly work: Work;
  readonly upstream: StrictUpstream;
  readonly proxyLog: () => string;
  /** Asks the client for the work, with more arguments. */
  readonly ask: (...more: readonly string[]) => Promise<Ended>;
  /** Says something else to it. */
  readonly say: (prompt: string, ...more: readonly string[]) => Promise<Ended>;
}

interface Use {
  readonly steps: number;
  readonly knowsWindow?: boolean;
}

/** A client in a home of its own, behind a proxy in front of an upstream that is as strict as they come. */
async function withClient(
  commandLine: CommandLine,
  { skip }: Pick<TestContext, 'skip'>,
  { steps, knowsWindow = true }: Use,
  use: (setting: Setting) => Promise<void>,
): Promise<void> {
  const installed = await install(commandLine);
  if (installed.type === 'missing') {
    const why = `${commandLine.packageName} cannot be installed: ${installed.reason}`;
    // Reporters are silent about what is skipped.
    console.warn(why);
    return skip(why);
  }
  const { windowTokens } = commandLine;
  const work = createWork({ steps, bytes: stepBytes });
  using place = createProject();
  const upstream = await createStrictUpstream({ windowTokens, answer: work.script });
  try {
    await using proxy = await startProxyProcess(`${upstream.url}/v1`, {
      home: place.home,
      ...(knowsWindow && { windowTokens }),
    });
    const say = (prompt: string, ...more: readonly string[]): Promise<Ended> => {
      const { args, env } = commandLine.ask({ ...place, url: proxy.url, windowTokens }, prompt);
      return run(installed.program, {
        args: [...args, ...more],
        cwd: place.project,
        env: { ...env, HOME: place.home },
        timeoutMs,
      });
    };
    await use({ work, upstream, proxyLog: proxy.log, say, ask: (...more) => say(work.prompt, ...more) });
  } finally {
    await upstream.stop();
  }
}

describe.each(commandLines)('$name through the proxy', (commandLine) => {
  const { windowTokens } = commandLine;

  it('works for ten windows, and neither side sees that there is one', async (context) => {
    const steps = Math.ceil((windows * windowTokens) / stepTokens);
    await withClient(commandLine, context, { steps }, async ({ ask, upstream, work, proxyLog }) => {
      const ended = await ask();
      expect(ended.output, ended.errors).toContain(work.lastWord);
      expect(ended.code).toBe(0);
      expect(upstream.faults).toEqual([]);
      const answers = answersOf(upstream);
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      expect(Math.max(...answers.map(({ promptTokens = 0 }) => promptTokens))).toBeLessThan(windowTokens);
      expect(stepsOf(answers)).toEqual(upTo(steps));
      expect(proxyLog().split(' compaction: ').length).toBeGreaterThan(windows);
    });
  });

  it('sees nothing of how the proxy finds out the window', async (context) => {
    const steps = Math.ceil((3 * windowTokens) / stepTokens);
    const use = { steps, knowsWindow: false };
    await withClient(commandLine, context, use, async ({ ask, upstream, work }) => {
      const ended = await ask();
      expect(ended.output, ended.errors).toContain(work.lastWord);
      expect(ended.code).toBe(0);
      expect(upstream.faults).toEqual([]);
      const answers = answersOf(upstream);
      expect(stepsOf(answers)).toEqual(upTo(steps));
    });
  });
});

const named = (name: string): CommandLine => commandLines.find((one) => one.name === name)!;

describe('a client that compacts by itself', () => {
  it('Claude Code goes on behind its /compact', async (context) => {
    const steps = 8;
    await withClient(named('Claude Code'), context, { steps }, async ({ ask, say, upstream, work }) => {
      expect((await ask()).output).toContain(work.lastWord);
      const before = answersOf(upstream).length;
      expect((await say('/compact', '--continue')).code).toBe(0);
      const [compaction] = answersOf(upstream).slice(before);
      expect(compaction?.asked?.question).toContain('<summary>');
      expect((await ask('--continue')).output).toContain(work.lastWord);
      const next = answersOf(upstream)[before + 1];
      expect(next?.promptTokens).toBeLessThan(compaction?.promptTokens ?? 0);
      expect(upstream.faults).toEqual([]);
      expect(answersOf(upstream).filter(({ status }) => status !== 200)).toEqual([]);
    });
  });

  it('Codex with a provider of its own does, and does not loop', async (context) => {
    const steps = 20;
    await withClient(named('Codex'), context, { steps }, async ({ ask, upstream, work }) => {
      const ended = await ask('-c', 'model_auto_compact_token_limit=14000');
      expect(ended.output, ended.errors).toContain(work.lastWord);
      expect(upstream.faults).toEqual([]);
      const answers = answersOf(upstream);
      expect(stepsOf(answers)).toEqual(upTo(steps));
      const compactions = answers.filter(({ headers }) =>
        String(headers['x-codex-turn-metadata']).includes('"request_kind":"compaction"'),
      );
      expect(compactions.length).toBeGreaterThan(3);
      expect(compactions.length).toBeLessThanOrEqual(steps);
    });
  });
});

/** As OpenAI's own, which asks for a WebSocket first, and for items that stand for a history. */
const builtIn: CommandLine = {
  ...named('Codex'),
  ask: ({ url }, prompt) => ({
    args: [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '-c',
      `openai_base_url="${url}/v1"`,
      '-m',
      'gpt-5.5',
      prompt,
    ],
    env: { OPENAI_API_KEY: 'none', CODEX_API_KEY: 'none' },
  }),
};

it('Codex with its built-in provider has its history compacted by the proxy', async (context) => {
  const steps = 20;
  await withClient(builtIn, context, { steps }, async ({ ask, upstream, work, proxyLog }) => {
    const ended = await ask('-c', 'model_auto_compact_token_limit=14000');
    expect(ended.output, ended.errors).toContain(work.lastWord);
    expect(upstream.faults).toEqual([]);
    expect(stepsOf(answersOf(upstream))).toEqual(upTo(steps));
    const compactions = proxyLog().split('Compaction for the client').length - 1;
    expect(compactions).toBeGreaterThan(3);
    expect(compactions).toBeLessThanOrEqual(steps);
  });
});

function answersOf({ requests }: StrictUpstream): readonly UpstreamRequest[] {
  return requests.filter(({ kind }) => kind === 'answer');
}

/** The steps that were asked for, in their order: each once, or a client has tried again. */
function stepsOf(answers: readonly UpstreamRequest[]): readonly number[] {
  return answers.flatMap(({ answer }) => {
    const step = /^Step (\d+) is next/.exec(answer?.text ?? '')?.[1];
    return step === undefined ? [] : [Number(step)];
  });
}

function upTo(steps: number): readonly number[] {
  return Array.from({ length: steps }, (_, index) => index + 1);
}
