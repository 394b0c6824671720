import { describe, expect, it } from 'vitest';
import { isProcessDead, thisProcess } from './this-process.ts';
import { spawn } from 'node:child_process';

// Elsewhere nobody can tell.
describe.runIf(process.platform === 'linux')('the name of a process', () => {
  const place = (thisProcess() ?? '').replace(/ \d+$/, '');
  const nameOf = (pid: number | undefined): string => `${place} ${pid}`;

  it('is that of no other', () => {
    expect(thisProcess()).toBe(nameOf(process.pid));
    expect(place).toMatch(/^[0-9a-f-]{36} pid:\[\d+\]$/);
  });

  it('tells the living from the dead', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const ended = new Promise((resolve) => void child.on('exit', resolve));
    expect(isProcessDead(nameOf(child.pid))).toBe(false);
    child.kill('SIGKILL');
    await ended;
    expect(isProcessDead(nameOf(child.pid))).toBe(true);
    expect(isProcessDead(nameOf(process.pid))).toBe(false);
  });

  it('says nothing of processes of others, of other machines, containers or starts', async () => {
    // It may not be asked, unless one is root.
    expect(isProcessDead(nameOf(1))).toBe(false);
    const dead = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await new Promise((resolve) => void dead.on('exit', resolve));
    const [start = '', space = ''] = place.split(' ');
    expect(isProcessDead(`${start} ${space} ${dead.pid}`)).toBe(true);
    expect(isProcessDead(`${start} pid:[1] ${dead.pid}`)).toBe(false);
    expect(isProcessDead(`${start.replace(/^./, 'x')} ${space} ${dead.pid}`)).toBe(false);
  });

  it.each(['', ' ', '7', 'chat', ' 7', 'a b 0', 'a b -7', 'a b 7.5', 'a b 99999999999'])(
    'takes %j for nobody that could be dead',
    (name) => {
      expect(isProcessDead(name)).toBe(false);
      expect(isProcessDead(`${place} ${name}`)).toBe(false);
    },
  );
});
