import { setTimeout as sleep } from 'node:timers/promises';
import { acts, goOn } from './acts.ts';
import { openTalk } from './talks.ts';
import type { ActName } from './acts.ts';
import type { Fleet } from './fleet.ts';
import type { Talk } from './talks.ts';

export interface ChaosOptions {
  readonly fleet: Fleet;
  readonly random: () => number;
  readonly sessions: number;
  /** How long nodes are disturbed, and messages are sent. */
  readonly ms: number;
  /** Each as often as it stands here. */
  readonly acts: readonly ActName[];
  /** Between two acts, at the most. */
  readonly pauseMs: number;
}

export interface Chaos {
  readonly talks: readonly Talk[];
  readonly done: readonly string[];
}

/** Disturbs nodes in an order of chance, while messages are sent and followed; ends when nothing is left to do. */
export async function runChaos(options: ChaosOptions): Promise<Chaos> {
  const { fleet, random, sessions, ms } = options;
  const job = (): { readonly steps: number; readonly words: number; readonly tool: number } => ({
    steps: Math.floor(random() * 3),
    words: 5 + Math.floor(random() * 60),
    tool: Math.floor(random() * 400),
  });
  const talks = await Promise.all(
    Array.from({ length: sessions }, (_, index) =>
      openTalk({
        fleet,
        name: `${index}-0`,
        job: job(),
        random,
        stayMs: 3_000 + Math.floor(random() * 5_000),
      }),
    ),
  );
  const end = Date.now() + ms;
  const speaking = talks.map(async (talk, index) => {
    for (let count = 1; Date.now() < end; count += 1) {
      // Some messages come while the one before is answered, and wait.
      await sleep(random() * 2 * pauseOf(sessions));
      await talk.send(`${index}-${count}`, job());
    }
  });
  const done = await disturb(options, end);
  await Promise.all(speaking);
  await goOn(fleet);
  return { talks, done };
}

/** All sessions together are to leave the machine room for the nodes. */
const pauseOf = (sessions: number): number => Math.max(500, sessions * 150);

async function disturb(
  { fleet, random, acts: names, pauseMs }: ChaosOptions,
  end: number,
): Promise<string[]> {
  const done: string[] = [];
  while (Date.now() < end) {
    await sleep(random() * pauseMs);
    const name = names[Math.floor(random() * names.length)];
    const place = Math.floor(random() * fleet.nodes.length);
    if (name === undefined) return done;
    done.push(`${name} ${place}`);
    process.stdout.write(`${new Date().toISOString()} ${name} ${place}\n`);
    await acts[name](fleet, place);
  }
  return done;
}
