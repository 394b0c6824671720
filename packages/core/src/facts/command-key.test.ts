import { describe, expect, it } from 'vitest';
import { answersOf } from '../transcript/exchange.ts';
import { failureKey, withoutHeredocs } from './command-key.ts';
import { proveState } from './proven-state.ts';
import { step, user } from '../../test/summary/builders.ts';
import type { Entry } from '../transcript/entry.ts';

const bash = (at: number, command: string, output: string, isError = false): Entry[] =>
  step(at, 'bash', { command }, output, isError);
const open = (...entries: readonly Entry[]): string[] => {
  const { checks, failures } = proveState(entries, answersOf(entries));
  return [...checks, ...failures].flatMap(({ recallId, hasFailed }) => (hasFailed ? [recallId] : []));
};

describe('failureKey', () => {
  it.each([
    ['git add -A && git commit -m "x" && git push', 'error: failed to push some refs', 'git push'],
    ['git stash && git checkout main && git pull', "fatal: 'main' is in use", 'git checkout && git pull'],
    ['echo a && mkdir b', 'no space left', 'echo a && mkdir b'],
    ['cd /shop; ./setup.sh; docker compose up', 'port is taken', 'docker compose'],
    ['ssh -o ConnectTimeout=5 ada@shop.org "uptime"', 'timed out', 'ssh ada@shop.org'],
    ["python3 - <<'EOF'\nprint(1)\nexit(1)\nEOF", 'Traceback', 'python'],
  ])('of %s is where it may have stopped', (command, line, key) => {
    expect(failureKey(command, line)).toBe(key);
  });
});

describe('withoutHeredocs', () => {
  it.each([
    ["cat > a <<'EOF' && ls\nx <<B\nEOF\nrm b", 'cat > a # && ls\nrm b'],
    ['cat <<-END\n\tx\n\tEND', 'cat #'],
    ['echo $((1 << 2)); cat <<A\nx\nA\ncat <<A\ny\nA\nz', 'echo $((1 << 2)); cat #\ncat #\nz'],
    ['cat <<EOF\nno end', 'cat <<EOF\nno end'],
  ])('of %j are the commands', (script, plain) => {
    expect(withoutHeredocs(script, '#')).toBe(plain);
  });

  it('takes no longer for one more heredoc without an end than for the last', () => {
    const begin = process.cpuUsage();
    expect(withoutHeredocs('A\ncat <<A <<A <<A <<A <<A\n'.repeat(20_000)).length).toBeGreaterThan(0);
    expect(withoutHeredocs('cat <<B <<B <<B <<B <<B\n'.repeat(40_000)).length).toBeGreaterThan(0);
    // Quadratic it takes minutes.
    expect(process.cpuUsage(begin).user / 1_000_000).toBeLessThan(5);
  });
});

describe('a failed look', () => {
  it.each(['nc -zv shop.org 6379', './serve & sleep 2; pkill -f serve; wait'])(
    'says nothing of the work when the user has asked for something else: %s',
    (command) => {
      const failed = bash(1, command, 'Exit code 1', true);
      expect(open(...failed)).toEqual(['m1']);
      expect(open(...failed, user(3, 'Now draw the logo.'))).toEqual([]);
    },
  );
});

describe('a failed chain', () => {
  const chain = bash(
    1,
    'git add -A && git commit -m "a" && git push',
    'error: failed to push some refs',
    true,
  );

  it('stands until the part that failed succeeds, wherever that stands', () => {
    expect(open(...chain, ...bash(3, 'git add b.ts && git commit -m "b"', 'ok'))).toEqual(['m1']);
    expect(open(...chain, ...bash(3, 'git push --force-with-lease', 'ok'))).toEqual([]);
    expect(open(...chain, ...bash(3, 'git status --short\ngit push\necho "pushed; done"', 'ok'))).toEqual([]);
  });

  it('is over where one of the parts succeeds at which it may have stopped', () => {
    const moved = bash(1, 'git stash && git checkout main && git pull', "fatal: 'main' is in use", true);
    expect(open(...moved, ...bash(3, 'git fetch origin main', 'ok'))).toEqual(['m1']);
    expect(open(...moved, ...bash(3, 'git checkout -b fix origin/main', 'ok'))).toEqual([]);
  });

  it('is settled by a check that passes behind other commands', () => {
    const failed = bash(1, 'npm test', '2 failed', true);
    expect(open(...failed, ...bash(3, 'git status --short; npm test', '9 passed'))).toEqual([]);
  });
});

describe('a failed command', () => {
  it.each([
    ['kubectl apply -f deploy/pay.yaml', 'kubectl apply -f deploy/search.yaml'],
    ['pip install psycopg2', 'pip install requests'],
    ['terraform apply -target=module.queue', 'terraform apply -target=module.cache'],
  ])('%s is not settled by %s', (failed, other) => {
    const failure = bash(1, failed, 'Error: AccessDenied', true);
    expect(open(...failure, ...bash(3, other, 'done'))).toEqual(['m1']);
    expect(open(...failure, ...bash(3, failed, 'done'))).toEqual([]);
  });

  it('that names what it is about is settled by one that names nothing, or the same beside other things', () => {
    const failure = bash(1, 'pip install psycopg2 --no-cache', 'error: pg_config not found', true);
    expect(open(...failure, ...bash(3, 'pip install -r', 'done'))).toEqual([]);
    expect(open(...failure, ...bash(3, 'pip install requests psycopg2', 'done'))).toEqual([]);
  });

  it('that only looked is no open failure any more when the user asks for something else', () => {
    const search = bash(1, 'gh search issues --repo a/b crash', 'HTTP 422: cannot be searched', true);
    const push = bash(1, 'npm publish', 'npm error 403', true);
    expect(open(...search)).toEqual(['m1']);
    expect(open(...search, user(5, 'Now the docs, please.'))).toEqual([]);
    expect(open(...push, user(5, 'Now the docs, please.'))).toEqual(['m1']);
  });
});

describe('a chain of checks', () => {
  const chain = bash(1, 'mise run fmt && mise run lint && mise run test', '2 failed', true);

  it('is settled part by part, whatever else it did first', () => {
    expect(open(...chain, ...bash(3, 'mise run lint', '0 issues'))).toEqual(['m1']);
    expect(open(...chain, ...bash(3, 'mise run lint', 'ok'), ...bash(5, 'mise run test', 'ok'))).toEqual([]);
    expect(
      open(
        ...bash(1, 'go clean -testcache && mise run test', 'FAIL', true),
        ...bash(3, 'mise run test', 'ok'),
      ),
    ).toEqual([]);
  });
});

describe('a merge that stopped at conflicts', () => {
  const merge = bash(1, 'git merge origin/main --no-edit', 'Automatic merge failed; fix conflicts', true);

  it('is over with the commit that ends it, or when it is given up', () => {
    expect(open(...merge, ...bash(3, 'git add -A', 'ok'))).toEqual(['m1']);
    expect(open(...merge, ...bash(3, 'git add -A && git commit --no-edit', '[main 1a2b3c4] Merge'))).toEqual(
      [],
    );
    expect(open(...merge, ...bash(3, 'git merge --abort', ''))).toEqual([]);
    const pull = bash(1, 'git pull', 'fatal: Could not resolve host: github.com', true);
    expect(open(...pull, ...bash(3, 'git commit -am "b"', '[main 1a2b3c4] b'))).toEqual(['m1']);
  });
});

describe('a call that has not run to its end', () => {
  it('has neither failed nor succeeded', () => {
    const failed = bash(1, 'npm run check', 'error: unused', true);
    const stopped = bash(3, 'npm run check 2>&1 | tail -10', 'checking\n\nCommand aborted', true);
    expect(open(...failed, ...stopped)).toEqual(['m1']);
    expect(open(...stopped)).toEqual([]);
    expect(open(...bash(1, 'curl x | jq "$0 > /tmp/a', "zsh:1: unmatched '", true))).toEqual([]);
    expect(
      open(...bash(1, './build/tool a.pony', 'bash: ./build/tool: No such file or directory', true)),
    ).toEqual([]);
    expect(open(...step(1, 'TaskOutput', { task_id: 'a' }, 'No task found with ID: a', true))).toEqual([]);
  });
});
