import { describe, expect, it, onTestFinished } from 'vitest';
import { createServer } from 'node:http';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { captureCli, temporaryFolder, writeInto } from './support.ts';
import { realComposition } from '../src/composition/real-composition.ts';
import { requireConfig } from '../src/config/require-config.ts';
import { runCommandLine } from '../src/command-line.ts';
import type { AddressInfo } from 'node:net';
import type { Cli } from '../src/composition/cli.ts';
import type { RequireOptions } from '../src/config/require-config.ts';
import type { Terminal } from '../src/terminal/keyboard.ts';

interface Place {
  readonly folder: string;
  readonly home: string;
}

function newPlace(text: string): Place {
  const folder = temporaryFolder();
  writeInto(folder, 'throughline.yaml', text);
  return { folder, home: temporaryFolder() };
}

/** A keyboard on which these lines are typed, and a screen. */
function terminalWith(typed: string): Terminal {
  const input = new PassThrough();
  input.end(typed);
  return { input, output: new PassThrough() } as unknown as Terminal;
}

type Captured = ReturnType<typeof captureCli>;

function cliIn({ folder, home }: Place, more: Partial<Cli> = {}): Captured {
  return captureCli({
    workingFolder: folder,
    env: { HOME: home, ...more.env },
    compose: () => Promise.resolve(realComposition),
    ...more,
  });
}

const evil = 'agent: { maxSteps: 3 }\nmcpServers: { x: { command: evil } }\n';

async function serversOf(
  place: Place,
  typed?: string,
  options: RequireOptions = {},
): Promise<readonly string[]> {
  const terminal = typed === undefined ? undefined : terminalWith(typed);
  const { config } = await requireConfig(cliIn(place, { terminal }), options);
  expect(config.agent.maxSteps).toBe(3);
  return Object.keys(config.mcpServers);
}

describe('a configuration of the folder', () => {
  it('gets what it wants when the user says so, until it changes', async () => {
    const place = newPlace(evil);
    expect(await serversOf(place, '\nwhat?\ny\n')).toEqual(['x']);
    expect(await serversOf(place)).toEqual(['x']);
    writeInto(place.folder, 'throughline.yaml', evil.replace('evil', 'worse'));
    await expect(serversOf(place)).rejects.toThrow('has changed since it was trusted');
    const cli = cliIn(place, { terminal: terminalWith('n\n') });
    expect((await requireConfig(cli)).config.mcpServers).toEqual({});
    expect(cli.stderr()).toMatch(
      /It has changed since you trusted it\.\n {2}mcpServers\.x\.command: worse\n/,
    );
    writeInto(place.folder, 'throughline.yaml', evil);
    expect(await serversOf(place)).toEqual(['x']);
  });

  it('is left with its harmless keys when the user says no, and asked about again', async () => {
    const place = newPlace(evil);
    expect(await serversOf(place, 'n\n')).toEqual([]);
    await expect(serversOf(place)).rejects.toMatchObject({ code: 'not-trusted', exitCode: 3 });
  });

  it.each(['q\n', ''])('ends the command when the user answers %j', async (typed) => {
    await expect(serversOf(newPlace(evil), typed)).rejects.toMatchObject({ code: 'not-trusted' });
  });

  it('needs --trust where nobody can be asked, which counts once', async () => {
    const place = newPlace(evil);
    await expect(serversOf(place)).rejects.toThrow('--trust');
    await expect(serversOf(place, 'y\n', { isSilent: true })).rejects.toThrow('--trust');
    expect(await serversOf(place, undefined, { trust: true })).toEqual(['x']);
    expect(await serversOf(place, undefined, { trust: false })).toEqual([]);
    await expect(serversOf(place)).rejects.toMatchObject({ code: 'not-trusted' });
  });

  it('is trusted for its folder: neither for another one nor for one that took its place', async () => {
    const place = newPlace(evil);
    await serversOf(place, 'y\n');
    const other = { ...newPlace(evil), home: place.home };
    await expect(serversOf(other)).rejects.toMatchObject({ code: 'not-trusted' });
    const moved = `${place.folder}-moved`;
    renameSync(place.folder, moved);
    onTestFinished(() => renameSync(moved, place.folder));
    await expect(serversOf({ ...place, folder: moved })).rejects.toMatchObject({ code: 'not-trusted' });
  });

  it.each(['throughline.yml', '.throughline/config.yaml'])('is one under the name %s, too', async (name) => {
    const place = { folder: temporaryFolder(), home: temporaryFolder() };
    mkdirSync(join(place.folder, '.throughline'));
    writeInto(place.folder, name, evil);
    await expect(serversOf(place)).rejects.toMatchObject({ code: 'not-trusted' });
  });

  it('is not one where the user named the file, or where it is the user’s own', async () => {
    const place = newPlace('');
    const named = writeInto(temporaryFolder(), 'mine.yaml', evil);
    expect(await serversOf(place, undefined, { file: named })).toEqual(['x']);
    const home = temporaryFolder();
    mkdirSync(join(home, '.config/throughline'), { recursive: true });
    writeInto(home, '.config/throughline/config.yaml', evil);
    expect(await serversOf({ folder: temporaryFolder(), home })).toEqual(['x']);
  });

  it('is not asked about when it has harmless keys only', async () => {
    expect(await serversOf(newPlace('agent: { maxSteps: 3 }'))).toEqual([]);
  });

  it('shows control characters instead of obeying them', async () => {
    const place = newPlace('mcpServers: { a: { command: "b\\e]0;x\\a", args: ["\\e[2J"] } }');
    const cli = cliIn(place, { terminal: terminalWith('q\n') });
    await expect(requireConfig(cli)).rejects.toMatchObject({ code: 'not-trusted' });
    expect(cli.stderr()).not.toContain('\u001b');
  });

  it('trusts nothing because of a store that is damaged', async () => {
    const place = newPlace(evil);
    await serversOf(place, 'y\n');
    const store = join(place.home, '.local/share/throughline/trusted-files.json');
    expect(JSON.parse(readFileSync(store, 'utf8'))).toMatchObject({ version: 1 });
    writeInto(join(store, '..'), 'trusted-files.json', '{"files": [');
    await expect(serversOf(place)).rejects.toMatchObject({ code: 'not-trusted' });
  });
});

describe('commands in a folder that nobody trusts', () => {
  it.each([
    [['chat', '--once', 'hi'], 3],
    [['chat', '--no-trust', '--once', 'hi'], 0],
    [['chat', '--json', 'hi'], 3],
    [['doctor'], 0],
    [['config', 'check'], 0],
  ] as const)('%j starts no program and sends no key', async (args, code) => {
    let asked = 0;
    const server = createServer((_, response) => void ((asked += 1), response.writeHead(404).end())).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const mark = join(temporaryFolder(), 'started');
    const place = newPlace(`
model: { provider: anthropic, name: claude, baseUrl: "${url}", apiKeyEnv: SECRET }
telemetry: { enabled: true, endpoint: "${url}" }
mcpServers: { x: { command: touch, args: ["${mark}"] } }
server: { port: 0 }
`);
    const cli = cliIn(place, { env: { HOME: place.home, SECRET: 's', PATH: process.env['PATH'] } });
    expect(await runCommandLine([...args], cli, '0.0.0')).toBe(code);
    expect([asked, existsSync(mark)]).toEqual([0, false]);
    expect(cli.stdout() + cli.stderr()).toContain('mcpServers.x');
  });
});
