import { createBuiltInTools, openWorkspace } from '../src/index.ts';
import { describe, expect, it } from 'vitest';
import { tmpdir } from 'node:os';

const bash = { sandbox: { type: 'none' as const, reason: 'a test' }, environment: {} };
const workspace = await openWorkspace(tmpdir());

const refusal = (option: string): unknown =>
  expect.objectContaining({ code: 'invalid-option', details: expect.objectContaining({ option }) });

describe('options of createBuiltInTools', () => {
  it.each([
    ['workspace', { bash }],
    ['workspace', { workspace: openWorkspace(tmpdir()), bash }],
    ['bash', { workspace }],
    ['bash.sandbox', { workspace, bash: { ...bash, sandbox: Promise.resolve(bash.sandbox) } }],
    ['bash.enviroment', { workspace, bash: { ...bash, enviroment: {} } }],
    ['bash.allowedEnvironment', { workspace, bash: { ...bash, allowedEnvironment: 'TOKEN' } }],
    ['only', { workspace, bash, only: ['read', 'serch'] }],
    ['searchTimeout', { workspace, bash, searchTimeout: 3 }],
  ])('are refused by the name %s', (option, options) => {
    const make = (): unknown =>
      createBuiltInTools(options as unknown as Parameters<typeof createBuiltInTools>[0]);
    expect(make).toThrow(refusal(option));
  });
});

describe('options of openWorkspace', () => {
  it.each([
    ['secret', { secret: ['/srv/keys'] }],
    ['secrets', { secrets: '/srv/keys' }],
    ['guarded', { guarded: [1] }],
  ])('are refused by the name %s: what was to be hidden would not be', async (option, options) => {
    await expect(openWorkspace(tmpdir(), options as object)).rejects.toEqual(refusal(option));
  });
});
