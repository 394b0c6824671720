import { describe, expect, it } from 'vitest';
import { answersOf } from '../timeline/read-entries.ts';
import { proveState } from './proven-state.ts';
import { step, user } from '../../test/summary/builders.ts';
import type { Entry } from '../transcript/entry.ts';

const running = (...entries: readonly Entry[]): string[] =>
  (proveState(entries, answersOf(entries)).running ?? []).map(
    ({ recallId, label, id }) => `${recallId} ${label} ${id}`,
  );
const server = step(
  1,
  'Bash',
  { command: 'npm run dev', run_in_background: true },
  'Command running in background with ID: b1f',
);
const session = step(
  1,
  'exec_command',
  { cmd: 'npm run dev' },
  'Chunk ID: 1\nProcess running with session ID 4021\nOutput:\nready',
);

describe('what runs in the background', () => {
  it.each([
    ['Claude Code', server, 'm1 $ npm run dev b1f'],
    ['Codex', session, 'm1 $ npm run dev 4021'],
  ])('is known by the id under which %s goes on with it', (_client, entries, told) => {
    expect(running(...entries)).toEqual([told]);
  });

  it('goes on where somebody only looks at it', () => {
    expect(
      running(...server, ...step(3, 'BashOutput', { bash_id: 'b1f' }, '<status>running</status>')),
    ).toHaveLength(1);
    const again = 'Process running with session ID 4021\nOutput:\nGET /';
    expect(
      running(...session, ...step(3, 'write_stdin', { session_id: 4021, chars: '' }, again)),
    ).toHaveLength(1);
  });

  it.each<readonly [string, readonly Entry[]]>([
    [
      'it is stopped',
      [...server, ...step(3, 'KillShell', { shell_id: 'b1f' }, 'Successfully killed shell: b1f')],
    ],
    ['it has ended', [...server, ...step(3, 'BashOutput', { bash_id: 'b1f' }, '<status>completed</status>')]],
    [
      'it is not known any more',
      [...server, ...step(3, 'TaskOutput', { task_id: 'b1f' }, 'No task found', true)],
    ],
    [
      'its exit code is told',
      [...session, ...step(3, 'write_stdin', { session_id: 4021 }, 'Process exited with code 0\nOutput:\n')],
    ],
    [
      'the client says so',
      [
        ...server,
        user(3, '<task-notification><task-id>b1f</task-id><status>completed</status></task-notification>'),
      ],
    ],
  ])('is over when %s', (_why, entries) => {
    expect(running(...entries)).toEqual([]);
  });

  it('is nothing that a page or a file says', () => {
    const said = 'Command running in background with ID: zzz';
    expect(running(...step(1, 'Read', { file_path: 'a.md' }, said))).toEqual([]);
    expect(running(...step(1, 'Bash', { command: 'cat a.md' }, said))).toEqual([]);
    expect(running(...step(1, 'WebFetch', { url: 'x' }, 'Process running with session ID 99'))).toEqual([]);
  });

  it('has neither passed nor settled anything while it goes on', () => {
    const failed = step(1, 'Bash', { command: 'npm test' }, '1 failed', true);
    const again = step(
      3,
      'Bash',
      { command: 'npm test', run_in_background: true },
      'Command running in background with ID: b1f',
    );
    const { checks } = proveState([...failed, ...again], answersOf([...failed, ...again]));
    expect(checks.map(({ recallId, hasFailed }) => [recallId, hasFailed])).toEqual([['m1', true]]);
  });
});
