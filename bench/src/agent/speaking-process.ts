// A process that speaks until it is killed. Each piece says when it was said.
import { setTimeout as sleep } from 'node:timers/promises';
import { writeSync } from 'node:fs';
import { benchAgent, openFile } from './bench-agent.ts';
import { playedDriver } from './played-driver.ts';

const [folder = '', sessionId = ''] = process.argv.slice(2);

async function* times(): AsyncGenerator<string> {
  for (let index = 0; ; index += 1) {
    const nowMs = performance.timeOrigin + performance.now();
    yield `${nowMs.toFixed(1)} `;
    if (index === 0) writeSync(1, 'speaking\n');
    await sleep(1);
  }
}

const store = await openFile(folder);
const agent = benchAgent(store, { driver: playedDriver(() => ({ pieces: times() })) });
const session = await agent.create({ id: sessionId });
await session.send('Speak.');
