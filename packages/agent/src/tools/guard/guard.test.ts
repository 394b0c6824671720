import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callTool, openBench } from '../../../test/tool-bench.ts';
import { createMemoryApprovalStore, noPause, tellingStore } from '../../../test/memory-approvals.ts';
import { SessionApprovals } from '../../approvals/approvals.ts';
import { createEditTool } from '../files/edit-tool.ts';
import { createReadTool } from '../files/read-tool.ts';
import { openWorkspace } from '../files/workspace.ts';
import { createWriteTool } from '../files/write-tool.ts';
import { createGlobTool, createGrepTool } from '../search/search-tools.ts';
import type { Json } from '@throughline/core/codec';
import type { ApprovalAnswer, ApprovalRequest } from '@throughline/protocol/types';
import type { Bench } from '../../../test/tool-bench.ts';
import type { SessionApprovalsOptions } from '../../approvals/approvals.ts';
import type { Workspace } from '../files/workspace.ts';
import type { ExecuteContext, Tool } from '../tool.ts';
import type { GuardOptions } from './guard.ts';

/** A bench whose home folder is its workspace. */
async function atHome(): Promise<Bench & { readonly workspace: Workspace }> {
  const bench = await openBench();
  const home = process.env['HOME'];
  vi.stubEnv('HOME', bench.root);
  onTestFinished(() => void vi.stubEnv('HOME', home));
  await bench.put('.ssh/id', 'secret-1');
  await bench.put('.config/gh/hosts.yml', 'secret-2');
  await bench.put('.netrc', 'secret-3');
  await bench.put('.local/share/throughline/throughline.db', 'secret-4');
  await bench.put('own.db', 'secret-5');
  await bench.put('notes', 'nothing');
  symlinkSync('.ssh', join(bench.root, 'keys'));
  return { ...bench, workspace: await openWorkspace(bench.root, { secrets: [join(bench.root, 'own.db')] }) };
}

const hidden = [
  '.ssh/id',
  'keys/id',
  '.SSH/id',
  './.config/gh/hosts.yml',
  '.netrc',
  'own.db',
  '.local/share/throughline/throughline.db',
];

describe('file tools', () => {
  it.each(hidden)('neither read nor write %s', async (path) => {
    const { workspace, root } = await atHome();
    const tools = [
      [createReadTool(workspace), { path }],
      [createWriteTool(workspace), { path, content: 'x' }],
      [createEditTool(workspace), { path, oldText: 'secret', newText: 'x' }],
      [createGrepTool(workspace, 5_000), { path, pattern: 'secret' }],
    ] as const;
    for (const [tool, input] of tools) {
      const { text, state } = await callTool(tool, input);
      expect([tool.name, state, text]).toEqual([
        tool.name,
        'error',
        `${JSON.stringify(path)} holds secrets, which are kept out of sight`,
      ]);
    }
    expect(readFileSync(join(root, '.ssh/id'), 'utf8')).toBe('secret-1');
  });

  it('find no secret, wherever a search begins', async () => {
    const { workspace } = await atHome();
    for (const path of ['.', '.config', '.local/share']) {
      const input = { path, pattern: 'secret', includeIgnored: true };
      expect((await callTool(createGrepTool(workspace, 5_000), input)).text).toBe('No matches.');
    }
    const { text } = await callTool(createGlobTool(workspace, 5_000), {
      pattern: '**',
      includeIgnored: true,
    });
    expect(text).toBe('notes');
  });

  it('work in a workspace that lies in a hidden folder, or is one', async () => {
    const bench = await openBench();
    const options = { secrets: [bench.root, bench.outside] };
    const workspace = await openWorkspace(bench.root, options);
    await bench.put('a', 'content');
    expect((await callTool(createReadTool(workspace), { path: 'a' })).text).toContain('content');
  });
});

interface Asked {
  readonly context: Partial<ExecuteContext>;
  readonly requests: ApprovalRequest[];
}

/** Approvals that give each request the next of some answers. */
function answering(
  answers: readonly ApprovalAnswer[],
  changes: Partial<SessionApprovalsOptions> = {},
): Asked {
  const requests: ApprovalRequest[] = [];
  const store = tellingStore(createMemoryApprovalStore(), (event) => {
    if (event.type !== 'approval-requested') return;
    const answer = answers[requests.length] ?? { type: 'deny' };
    requests.push(event.request);
    queueMicrotask(() => void approvals.answer(event.request.id, answer));
  });
  const approvals = new SessionApprovals({
    store,
    isAttended: () => true,
    nowMs: () => 0,
    newId: () => `a${requests.length}`,
    pause: noPause,
    ...changes,
  });
  return { requests, context: { decide: (...call) => approvals.decide(...call) } };
}

describe('what may hold secrets of the project', () => {
  async function withSecret(name: string, options: GuardOptions = {}): Promise<Bench> {
    const bench = await openBench();
    await bench.put(name, 'KEY=s-1234');
    return { ...bench, workspace: await openWorkspace(bench.root, options) };
  }

  function calls({ workspace }: Bench, path: string): readonly (readonly [Tool, Json])[] {
    return [
      [createReadTool(workspace), { path }],
      [createGrepTool(workspace, 5_000), { path, pattern: 'KEY' }],
      [createEditTool(workspace), { path, oldText: 'KEY=s-123', newText: 'x' }],
    ];
  }
  const rules = () => ({ read: 'allow', grep: 'allow', edit: 'allow' }) as const;

  it.each(['.env', '.env.local', 'sub/.env.production', '.ENV', 'link'])(
    'is asked for although the tool is allowed, and not read without: %s',
    async (path) => {
      const bench = await withSecret(path === 'link' ? '.env' : path);
      if (path === 'link') symlinkSync('.env', join(bench.root, 'link'));
      for (const [tool, input] of calls(bench, path)) {
        const { requests, context } = answering([], { rules });
        const { state, text } = await callTool(tool, input, context);
        expect([tool.name, state, requests[0]?.warning]).toEqual([
          tool.name,
          'error',
          expect.stringMatching(
            / may hold secrets: what is read there goes to the model and into the session\.$/,
          ),
        ]);
        expect(text).not.toContain('s-1234');
      }
    },
  );

  it('is read where somebody allows it, and that covers no other', async () => {
    const bench = await withSecret('.env');
    await bench.put('.env.local', 'KEY=s-5678');
    const { requests, context } = answering([{ type: 'allow', scope: 'always' }], { rules });
    const read = createReadTool(bench.workspace);
    expect((await callTool(read, { path: '.env' }, context)).text).toContain('s-1234');
    expect((await callTool(read, { path: './.env' }, context)).text).toContain('s-1234');
    expect((await callTool(read, { path: '.env.local' }, context)).state).toBe('error');
    expect(requests.map(({ grant }) => grant.key)).toEqual(['.env', '.env.local']);
  });

  it('is passed over by a search of folders, which says so', async () => {
    const bench = await withSecret('sub/.env');
    await bench.put('sub/code', 'KEY=plain');
    for (const path of ['.', 'sub']) {
      const { text } = await callTool(createGrepTool(bench.workspace, 5_000), { path, pattern: 'KEY' });
      expect(text).toBe(
        'sub/code:1:KEY=plain\n[passed over, as it may hold secrets: sub/.env; naming one as path asks the user]',
      );
    }
  });

  it.each(['.env.example', '.env.local.sample', 'env', '.environment', '.env/bin/activate'])(
    'is not %s',
    async (path) => {
      const bench = await withSecret(path);
      for (const [tool, input] of calls(bench, path)) {
        const { requests, context } = answering([], { rules });
        expect((await callTool(tool, input, context)).state).toBe('completed');
        expect(requests).toEqual([]);
      }
    },
  );

  it('is what the options say', async () => {
    const none = await withSecret('.env', { privateFiles: [] });
    const { context } = answering([], { rules });
    expect((await callTool(createReadTool(none.workspace), { path: '.env' }, context)).text).toContain(
      's-1234',
    );
    const keys = await withSecret('deep/My.Key', { privateFiles: ['*.key'] });
    expect((await callTool(createReadTool(keys.workspace), { path: 'deep/My.Key' }, context)).state).toBe(
      'error',
    );
  });
});

describe('what somebody outside runs or obeys', () => {
  const paths = [
    '.git/hooks/pre-commit',
    '.git/config',
    '.envrc',
    'sub/.vscode/tasks.json',
    '.Git/hooks/x',
    'throughline.yaml',
    'tool/run.js',
    'link/pre-commit',
  ];

  it.each(paths)('is asked for although write is allowed: %s', async (path) => {
    const bench = await openBench();
    await bench.put('tool/run.js', 'old');
    mkdirSync(join(bench.root, '.git/hooks'), { recursive: true });
    symlinkSync('.git/hooks', join(bench.root, 'link'));
    const guarded = [join(bench.root, 'tool/run.js')];
    const write = createWriteTool(await openWorkspace(bench.root, { guarded }));
    const { requests, context } = answering([], { rules: () => ({ write: 'allow' }) });
    const result = await callTool(write, { path, content: 'new' }, context);
    expect(result.state).toBe('error');
    expect(requests[0]?.warning).toMatch(/^Programs outside the sandbox run or obey /);
    if (path !== 'tool/run.js') expect(existsSync(join(bench.root, path))).toBe(false);
    expect((await callTool(write, { path: 'plain.txt', content: 'x' }, context)).state).toBe('completed');
    expect(requests).toHaveLength(1);
  });

  it('is denied where nobody is there to ask, and says what it was about', async () => {
    const bench = await openBench();
    const { context } = answering([], { rules: () => ({ write: 'allow' }), isAttended: () => false });
    const { text } = await callTool(
      createWriteTool(bench.workspace),
      { path: '.envrc', content: 'x' },
      context,
    );
    expect(text).toContain('write to .envrc needs an approval');
  });

  it('is not covered by a permission for every call, and a permission for it covers nothing else', async () => {
    const bench = await openBench();
    const write = createWriteTool(bench.workspace);
    const always = { type: 'allow', scope: 'always' } as const;
    const { requests, context } = answering([always, always]);
    const states = [];
    for (const path of ['a', 'b', '.envrc', '.envrc', '.npmrc', 'c'])
      states.push((await callTool(write, { path, content: path }, context)).state);
    expect(requests.map(({ grant }) => grant)).toEqual([
      { toolName: 'write' },
      { toolName: 'write', key: '.envrc', isExact: true },
      { toolName: 'write', key: '.npmrc', isExact: true },
    ]);
    expect(states).toEqual(['completed', 'completed', 'completed', 'completed', 'error', 'completed']);
  });

  it('is not changed through a second name of the file', async () => {
    const bench = await openBench();
    await bench.put('.git/config', 'old');
    linkSync(join(bench.root, '.git/config'), join(bench.root, 'twin'));
    await callTool(createWriteTool(bench.workspace), { path: 'twin', content: 'new' });
    expect(readFileSync(join(bench.root, '.git/config'), 'utf8')).toBe('old');
    writeFileSync(join(bench.root, 'twin'), 'x');
  });
});
