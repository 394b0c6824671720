import { describe, expect, it } from 'vitest';
import { answersOf } from '../transcript/exchange.ts';
import { collectSummary } from '../summary/collect-summary.ts';
import { limitsOf, source, step, user } from '../../test/summary/builders.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { proveState } from './proven-state.ts';
import { renderSummary } from '../summary/render-summary.ts';
import type { Entry } from '../transcript/entry.ts';

const bash = (at: number, command: string, output: string, isError = false): Entry[] =>
  step(at, 'bash', { command }, output, isError);
const outside = (...entries: readonly Entry[]): string[] =>
  (proveState(entries, answersOf(entries)).outside ?? []).map(
    ({ recallId, label, place }) => `${recallId} ${label}${place === undefined ? '' : ` → ${place}`}`,
  );

const pull = 'https://github.com/acme/shop/pull/51';
const issue = 'https://github.com/acme/shop/issues/47';
const pushed = 'To https://github.com/acme/shop\n   23fcb08..797818d  dev -> dev';

describe('what was made outside the folder', () => {
  it.each([
    [
      'git add -A && git commit -m "x" && git push origin dev 2>&1',
      pushed,
      'git push origin dev → 23fcb08..797818d dev',
    ],
    ['git push 2>&1 | tail -1', pushed, 'git push → 23fcb08..797818d dev'],
    ['gh pr create --base main --title "The yard" --body "$b"', pull, `gh pr create "The yard" → ${pull}`],
    ['gh issue comment 47 --body "long text"', `${issue}#issuecomment-1`, `gh issue comment 47 → ${issue}`],
    ['gh pr merge 5 --squash', '', 'gh pr merge 5 --squash'],
    [
      'id=$(linctl issue create --title "Resend" -j | jq .id); echo $id',
      'ALE-263',
      'linctl issue create "Resend" → ALE-263',
    ],
    ['git worktree add ../car -b car/51', '', 'git worktree add ../car -b car/51'],
    ['git checkout -b next 2>&1 | cat', "Switched to a new branch 'next'", 'git checkout -b next'],
    ['gh release create v1 -n "notes"', '', 'gh release create v1 -n "notes"'],
    ['npm publish --access public', '+ shop@1.0.0', 'npm publish --access public'],
  ])('is a command that did not fail: %s', (command, output, told) => {
    expect(outside(...bash(1, command, output))).toEqual([`m1 ${told}`]);
  });

  it.each([
    ['failed', 'git push', 'error: failed to push some refs', true],
    ['hides how it went', 'git push 2>&1 | tail -1', ' ! [rejected] main -> main (fetch first)', false],
    ['hides how it went and shows nothing', 'gh pr edit 51 --add-label x; gh pr view 51', 'title: x', false],
    ['only tries', 'git push --dry-run', pushed, false],
    ['had nothing to push', 'git push', 'Everything up-to-date', false],
    ['only looks', 'gh pr view 51; gh issue list', pull, false],
    ['quotes one', 'echo "then git push"; grep "gh pr create" a.md', pull, false],
    ['says one in a text of PowerShell', "$b = @'\nit's\ngit push\nnow\n'@\necho $b", '', false],
    ['writes one into a file', "cat > a.sh <<'EOF'\ngit push\nEOF", '', false],
  ])('is none that %s', (_why, command, output, isError) => {
    expect(outside(...bash(1, command, output, isError))).toEqual([]);
  });

  it('is a tool of a tracker by the words of its name, with the address that a person opens', () => {
    const input = { owner: 'acme', title: 'Add a cart', body: 'x' };
    const output = `{"url": "https://api.github.com/repos/acme/shop/pulls/51", "html_url": "${pull}"}`;
    expect(outside(...step(1, 'mcp__github__create_pull_request', input, output))).toEqual([
      `m1 create_pull_request Add a cart → ${pull}`,
    ]);
    const moved = step(1, 'jira_update_issue', { issue_key: 'ABC-12', fields: {} }, 'Updated ABC-12');
    expect(outside(...moved)).toEqual(['m1 jira_update_issue ABC-12']);
    for (const name of ['get_issue', 'TaskUpdate', 'create_file', 'search_pages', 'update_plan'])
      expect(outside(...step(1, name, input, output)), name).toEqual([]);
    expect(outside(...step(1, 'create_issue', input, 'no access', true))).toEqual([]);
  });

  it('stands once where it was done again, and the newest six of it stay, over rounds', () => {
    const branches = Array.from({ length: 7 }, (_, at) => bash(2 * at + 1, `git switch -c b${at}`, ''));
    const again = bash(15, 'git switch -c b3', '');
    const all = [...branches.flat(), ...again];
    const told = [1, 2, 4, 5, 6, 3].map((at) => `m${at === 3 ? 15 : 2 * at + 1} git switch -c b${at}`);
    expect(outside(...all)).toEqual(told);
    const first = proveState(all.slice(0, 8), answersOf(all));
    const rest = all.slice(8);
    expect(proveState(rest, answersOf(rest), first)).toEqual(proveState(all, answersOf(all)));
  });

  it('stands at the end of the state', () => {
    const limits = limitsOf(2_000);
    const history = [user(0, 'Go.'), ...bash(1, 'gh pr create --title "Cart"', pull)];
    const text = renderSummary(collectSummary(source(history), limits), limits, {
      task: undefined,
      first: messageRecallId(0),
      last: messageRecallId(2),
      hasRecall: false,
      maxTokens: 2_000,
    });
    expect(text).toContain(`- Made or changed outside (newest last):\n  - m1 gh pr create "Cart" → ${pull}`);
  });
});
