import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { executeCalls } from '../src/tools/execute-calls.ts';
import { openWorkspace } from '../src/tools/files/workspace.ts';
import type { Json } from '@throughline/core/codec';
import type { Workspace } from '../src/tools/files/workspace.ts';
import type { CallResult, ExecuteContext, Tool, ToolEvent } from '../src/tools/tool.ts';

export interface Bench {
  /** Holds `work` and may hold things beside it. */
  readonly outside: string;
  readonly root: string;
  readonly workspace: Workspace;
  put(path: string, content: string | Uint8Array): Promise<string>;
}

/** A workspace in a folder of its own, gone at the end of the test. */
export async function openBench(options: { readonly byHandle?: boolean } = {}): Promise<Bench> {
  const outside = await realpath(await mkdtemp(join(tmpdir(), 'throughline-test-')));
  onTestFinished(() => rm(outside, { recursive: true, force: true }));
  const root = join(outside, 'work');
  await mkdir(root);
  return {
    outside,
    root,
    workspace: await openWorkspace(root, options),
    async put(path, content) {
      const full = join(root, path);
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, content);
      return full;
    },
  };
}

/** A context that allows everything; `events` sees what happens. */
export function contextOf(tools: readonly Tool[], changes: Partial<ExecuteContext> = {}): ExecuteContext {
  return {
    tools,
    signal: new AbortController().signal,
    emit: () => {},
    decide: () => Promise.resolve({ type: 'allowed' }),
    session: {},
    ...changes,
  };
}

/** Runs one call of one tool. */
export async function callTool(
  tool: Tool,
  input: Json,
  changes: Partial<ExecuteContext> = {},
): Promise<CallResult & { readonly text: string }> {
  const { results } = await executeCalls(
    [{ callId: 'c1', name: tool.name, input }],
    contextOf([tool], changes),
  );
  const [result] = results;
  if (!result) throw new Error('no result');
  return { ...result, text: textOf(result) };
}

export function textOf({ content }: CallResult): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

export function recordEvents(): { readonly events: ToolEvent[]; readonly emit: (event: ToolEvent) => void } {
  const events: ToolEvent[] = [];
  return { events, emit: (event) => void events.push(event) };
}
