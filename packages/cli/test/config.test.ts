import { captureCli, temporaryFolder, writeInto } from './support.ts';
import { describe, expect, it } from 'vitest';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { requireConfig } from '../src/config/require-config.ts';
import { runCommandLine } from '../src/command-line.ts';
import type { Cli } from '../src/composition/cli.ts';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], overrides: Partial<Cli> = {}): Promise<Ran> {
  const cli = captureCli(overrides);
  const code = await runCommandLine(args, cli, '0.0.0');
  return { code, stdout: cli.stdout(), stderr: cli.stderr() };
}

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('config check', () => {
  it('shows where the configuration is from and what it comes to, without its secrets', async () => {
    const workingFolder = temporaryFolder();
    const file = writeInto(
      workingFolder,
      'throughline.yaml',
      'model: { provider: openai, name: m }\nmcpServers: { a: { command: x, env: { T: hunter2 } } }\n',
    );
    const env = { OPENAI_API_KEY: 'sk-hunter2', THROUGHLINE_AGENT_MAX_STEPS: '7' };
    const { code, stdout, stderr } = await run(['config', 'check'], { workingFolder, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replace(/\s+/g, '')).toContain(file);
    expect(stdout).toContain('THROUGHLINE_AGENT_MAX_STEPS');
    expect(stdout).toContain('maxSteps: 7');
    expect(stdout).toContain('T: (hidden)');
    expect(stdout).not.toContain('hunter2');
  });

  it('shows each fault with its line and a caret, and ends with 1', async () => {
    const workingFolder = temporaryFolder();
    writeInto(workingFolder, 'throughline.yml', 'agent:\n  maxSteps: many\nmodle: x\n');
    const { code, stdout, stderr } = await run(['config', 'check'], { workingFolder });
    expect(code).toBe(1);
    expect(stderr).toBe('throughline: throughline.yml has 2 faults.\n');
    expect(stdout).toContain(`2 faults
  throughline.yml:2:13: agent.maxSteps: expected a whole number ≥ 1, found
  "many".
     2 |   maxSteps: many
       |             ^^^^
  throughline.yml:3:1: modle: unknown key; did you mean model?
     3 | modle: x
       | ^^^^^
`);
  });

  it('says the same in JSON', async () => {
    const workingFolder = temporaryFolder();
    const file = writeInto(workingFolder, 'a.yaml', 'agent: { maxSteps: 0 }\ntools: { bsh: {} }');
    const faulty = await run(['config', 'check', 'a.yaml', '--json'], { workingFolder });
    expect(faulty.code).toBe(1);
    expect(json(faulty.stdout)).toEqual({
      version: 1,
      isValid: false,
      file,
      searched: [{ path: file, reason: 'named', isRequired: true, state: 'read' }],
      variables: [],
      config: null,
      faults: [
        {
          place: { type: 'file', file: 'a.yaml', line: 1, column: 20, length: 1 },
          key: 'agent.maxSteps',
          message: 'expected a whole number ≥ 1, found 0.',
          expected: 'a whole number ≥ 1',
          found: '0',
        },
      ],
      warnings: [
        {
          place: { type: 'file', file: 'a.yaml', line: 2, column: 10, length: 3 },
          key: 'tools.bsh',
          message: 'is no built-in tool; did you mean bash?',
        },
      ],
    });
    const none = await run(['config', 'check', '--json'], { workingFolder, env: { HOME: '/nowhere' } });
    expect(none.code).toBe(0);
    expect(json(none.stdout)).toMatchObject({ isValid: true, file: null, config: { summarizer: 'same' } });
  });

  it('reads the first place that has one, and says which it passed over', async () => {
    const workingFolder = temporaryFolder();
    const user = temporaryFolder();
    mkdirSync(join(user, 'throughline'));
    writeInto(join(user, 'throughline'), 'config.yaml', 'agent: { maxSteps: 1 }');
    const env = { XDG_CONFIG_HOME: user };
    const steps = async (): Promise<unknown> =>
      (
        json((await run(['config', 'check', '--json'], { workingFolder, env })).stdout)['config'] as {
          agent: { maxSteps: number };
        }
      ).agent.maxSteps;
    expect(await steps()).toBe(1);
    mkdirSync(join(workingFolder, '.throughline'));
    writeInto(join(workingFolder, '.throughline'), 'config.yaml', 'agent: { maxSteps: 2 }');
    expect(await steps()).toBe(2);
    writeInto(workingFolder, 'throughline.yaml', 'agent: { maxSteps: 3 }');
    expect(await steps()).toBe(3);
    const { stdout } = await run(['config', 'check'], { workingFolder, env });
    expect(stdout.match(/passed over/g)).toHaveLength(2);
  });

  it.each([
    ['one that is not there', 'nobody.yaml', 'there is no such file'],
    ['a folder', '.', 'this is a folder, not a file'],
  ])('ends with 3 for %s', async (_what, name, reason) => {
    const workingFolder = temporaryFolder();
    const { code, stderr } = await run(['config', 'check', name], { workingFolder });
    expect(code).toBe(3);
    expect(stderr).toContain(reason);
  });

  it('shows control characters of the file as symbols', async () => {
    const workingFolder = temporaryFolder();
    writeInto(workingFolder, 'a.yaml', 'agent: { maxSteps: "\u001b[31mred" }');
    const { stdout } = await run(['config', 'check', 'a.yaml'], { workingFolder });
    expect(stdout).not.toContain('\u001b');
  });
});

describe('config schema', () => {
  it('prints a JSON schema', async () => {
    const { code, stdout } = await run(['config', 'schema']);
    expect(code).toBe(0);
    expect(json(stdout)).toMatchObject({ type: 'object', properties: { model: {}, summariser: {} } });
  });

  it('is no sub-command by another name', async () => {
    expect((await run(['config', 'shema'])).code).toBe(2);
    expect((await run(['config'])).code).toBe(2);
  });
});

describe('a command that needs the configuration', () => {
  it('gets it, with the warnings on standard error', async () => {
    const workingFolder = temporaryFolder();
    writeInto(workingFolder, 'throughline.yaml', 'tools: { bsh: { approval: deny } }');
    const cli = captureCli({ workingFolder });
    const { config } = await requireConfig(cli);
    expect(config.tools).toEqual({ bsh: { approval: 'deny' } });
    expect(cli.stderr()).toBe(
      'throughline: throughline.yaml:1:10: tools.bsh: is no built-in tool; did you mean bash?\n',
    );
  });

  it('is told all faults, and ends with 3', async () => {
    const workingFolder = temporaryFolder();
    writeInto(workingFolder, 'throughline.yaml', 'a: 1\nb: 2');
    const cli = captureCli({ workingFolder });
    await expect(requireConfig(cli)).rejects.toMatchObject({
      code: 'bad-config',
      exitCode: 3,
      details: { faults: [{ key: 'a' }, { key: 'b' }] },
    });
    expect(cli.stderr().split('\n')).toHaveLength(3);
  });
});
