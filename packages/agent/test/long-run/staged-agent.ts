import { createDemoDriver } from '@throughline/drivers';
import { z } from 'zod';
import { createAgent, defineTool } from '../../src/index.ts';
import { createCheckedDriver } from './checked-driver.ts';
import type { Agent, AgentSession } from '../../src/index.ts';
import type { DemoTurn } from '@throughline/drivers';
import type {
  ModelDriver,
  ModelEvent,
  ModelFailure,
  SessionStore,
  StepRequest,
  Timer,
} from '@throughline/ports';

/** What the model is made to do at its next step. */
export type Cue =
  | { readonly type: 'says'; readonly turn: DemoTurn }
  /** The stream breaks behind what it says. */
  | { readonly type: 'fails'; readonly turn: DemoTurn; readonly failure: ModelFailure };

/** An agent that moves only when it is told to. */
export interface StagedAgent {
  readonly agent: Agent;
  readonly session: AgentSession;
  /** What is wrong with requests that were sent. */
  readonly faults: readonly string[];
  /** Whether the model, or a tool, was asked and has not answered. */
  readonly waitsFor: 'model' | 'tool' | undefined;
  cue(cue: Cue): void;
  finishTool(): void;
  /** From now on nothing that it does has an effect on the store. */
  die(): void;
}

export interface StageOptions {
  readonly store: SessionStore;
  readonly clock: { nowMs(): number };
  readonly sessionId: string;
  readonly boot: string;
  readonly windowTokens: number;
  readonly leaseTtlMs: number;
  readonly task: string;
  /** Every run of a tool leaves a line. */
  readonly lines: string[];
}

/** Short waits are over at once, long ones never. */
const timer: Timer = {
  wait: (delayMs, signal) =>
    new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve('aborted'), { once: true });
      if (delayMs <= 100) setImmediate(() => resolve('elapsed'));
    }),
};

export async function stageAgent(options: StageOptions): Promise<StagedAgent> {
  const { store, clock, sessionId, boot, windowTokens, leaseTtlMs, lines } = options;
  const faults: string[] = [];
  let isDead = false;
  let model: ((cue: Cue) => void) | undefined;
  let tool: (() => void) | undefined;
  let ids = 0;
  const note = defineTool({
    name: 'note',
    description: 'Notes a line.',
    input: z.strictObject({ line: z.string() }),
    approval: 'allow',
    execute: async ({ line }, { signal }) => {
      lines.push(line);
      await new Promise<void>((resolve) => {
        tool = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      tool = undefined;
      return `noted ${line} ${'and more '.repeat(1_000)}`;
    },
  });
  const agent = createAgent({
    driver: cuedDriver(options, faults, (next) => {
      model = next;
    }),
    store: mortal(store, () => isDead),
    clock,
    timer,
    ids: { nextId: (kind) => `${kind}-${boot}-${(ids += 1)}` },
    tools: [note],
    owner: boot,
    leaseTtlMs,
    // What becomes of a run that failed is what is looked at here: nothing is tried again before.
    retry: false,
    idle: false,
    limits: { maxSteps: 6, graceMs: 0 },
    context: { windowTokens },
  });
  return {
    agent,
    session: await agent.open(sessionId),
    faults,
    get waitsFor() {
      if (model) return 'model';
      return tool ? 'tool' : undefined;
    },
    cue: (cue) => model?.(cue),
    finishTool: () => tool?.(),
    die: () => void (isDead = true),
  };
}

function cuedDriver(
  { windowTokens, task }: StageOptions,
  faults: string[],
  onAsked: (next: ((cue: Cue) => void) | undefined) => void,
): ModelDriver {
  const play = (turn: DemoTurn): ModelDriver =>
    createCheckedDriver({
      timer,
      windowTokens,
      task,
      next: () => turn,
      onRequest: (_, own) => void faults.push(...own),
      onRefused: (message) => void faults.push(message),
    });
  async function* stream(
    request: StepRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<ModelEvent, void, undefined> {
    const cue = await new Promise<Cue>((resolve) => {
      onAsked(resolve);
      signal.addEventListener('abort', () => resolve({ type: 'says', turn: { text: 'aborted' } }), {
        once: true,
      });
    });
    onAsked(undefined);
    for await (const event of play(cue.turn).stream(request, { signal })) {
      const isFailing = cue.type === 'fails' && event.type === 'end';
      yield isFailing ? { type: 'error', failure: cue.failure, messages: [] } : event;
    }
  }
  const { codec } = createDemoDriver({ timer });
  return { name: 'demo:cued', provider: 'demo', model: 'demo', codec, limits: { windowTokens }, stream };
}

/** After its death no call of the store has an effect, and none returns. */
function mortal<Target extends object>(target: Target, isDead: () => boolean): Target {
  return new Proxy(target, {
    get(of, key) {
      const value: unknown = Reflect.get(of, key, of);
      if (typeof value === 'function') {
        return (...args: unknown[]): unknown => {
          if (isDead()) return new Promise(() => {});
          return Reflect.apply(value as (...given: unknown[]) => unknown, of, args);
        };
      }
      return typeof value === 'object' && value !== null ? mortal(value, isDead) : value;
    },
  });
}
