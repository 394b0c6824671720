// A process that speaks until it is killed. Each piece says when it was said.
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { openSync, writeSync } from 'node:fs';
import { benchAgent, openFile } from './bench-agent.ts';
import { playedDriver } from './played-driver.ts';

const [folder = '', sessionId = ''] = process.argv.slice(2);

// What was said survives the kill here: the system has it, whatever becomes of the process.
const said = openSync(join(folder, 'said.txt'), 'w');

async function* times(): AsyncGenerator<string> {
  for (let index = 0; ; index += 1) {
    const nowMs = performance.timeOrigin + performance.now();
    const piece = `${nowMs.toFixed(1)} `;
    writeSync(said, piece);
    if (index === 0) writeSync(1, 'speaking\n');
    yield piece;
    await sleep(1);
  }
}

const store = await openFile(folder);
const agent = benchAgent(store, { driver: playedDriver(() => ({ pieces: times() })) });
const session = await agent.create({ id: sessionId });
await session.send('Speak.');
