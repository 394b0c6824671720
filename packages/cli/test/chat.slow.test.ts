import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { captureCli, temporaryFolder, writeInto } from './support.ts';
import { realComposition } from '../src/composition/real-composition.ts';
import { runCommandLine } from '../src/command-line.ts';
import type { AddressInfo } from 'node:net';
import type { ChildProcess } from 'node:child_process';
import type { ServerResponse } from 'node:http';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const runtime = ['--conditions=throughline-source', '--disable-warning=ExperimentalWarning', main];

interface End {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder to work in, and a home with no sessions and no configuration. */
interface Place {
  readonly home: string;
  readonly folder: string;
}

function newPlace(): Place {
  const place = { home: temporaryFolder(), folder: temporaryFolder() };
  writeInto(place.folder, 'notes.md', 'Buy milk. TODO\n');
  return place;
}

function environmentOf({ home }: Place): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(THROUGHLINE_|XDG_|NO_COLOR|FORCE_COLOR|NODE_(?!COMPILE_CACHE)|CI$)/.test(name),
  );
  return { ...Object.fromEntries(kept), HOME: home };
}

function start(place: Place, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...runtime, 'chat', ...args], {
    cwd: place.folder,
    env: environmentOf(place),
  });
}

async function endOf(child: ChildProcess): Promise<End> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

/** In this process, where loading the program costs nothing any more. */
async function chat(place: Place, args: readonly string[], input = ''): Promise<End> {
  const cli = captureCli({
    compose: () => Promise.resolve(realComposition),
    env: environmentOf(place),
    workingFolder: place.folder,
    readInput: () => Readable.from([input]),
  });
  const code = await runCommandLine(['chat', ...args], cli, '0.0.0');
  return { code, stdout: cli.stdout(), stderr: cli.stderr() };
}

/** A server that speaks OpenAI chat. */
async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (request.url?.endsWith('/chat/completions') === true) answer(response);
      else response.writeHead(404).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function streamText(response: ServerResponse, pieces: readonly string[], isEnded = true): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choice: object, more: object = {}): void => {
    const data = {
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'tiny',
      choices: [choice],
      ...more,
    };
    response.write(`data: ${JSON.stringify(data)}\n\n`);
  };
  for (const content of pieces)
    send({ index: 0, delta: { role: 'assistant', content }, finish_reason: null });
  if (!isEnded) return;
  send(
    { index: 0, delta: {}, finish_reason: 'stop' },
    { usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 } },
  );
  response.end('data: [DONE]\n\n');
}

describe('throughline chat --once', () => {
  it('answers with the demo model, calls real tools, and says how to go on, which another process does', async () => {
    const place = newPlace();
    const child = start(place, ['--once']);
    child.stdin?.end('read notes.md\n');
    const { code, stdout, stderr } = await endOf(child);
    expect([code, stdout]).toEqual([0, expect.stringContaining('notes.md')]);
    expect(stderr).toMatch(
      /This is the demo model[^]*✓ read (\(\S+ s\) )?notes\.md[^]*throughline chat --session session_/,
    );
    expect(stdout + stderr).not.toContain('\u001b');
    const [, id = ''] = /--session (\S+)/.exec(stderr) ?? [];
    // What is in memory over there is not here.
    const second = await chat(place, ['--session', id, '--once', '/context']);
    expect([second.code, second.stderr]).toEqual([
      0,
      expect.stringMatching(/tool results +\d+[^]*read +.*Buy milk/),
    ]);
  });

  it('does not say how to go on with a session that ends with the program', async () => {
    const place = newPlace();
    writeInto(place.folder, 'throughline.yaml', 'store: { type: memory }\n');
    const { code, stderr } = await chat(place, ['--once', 'help']);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('--session')]);
  });

  it('denies what would have to be asked for, unless it is allowed beforehand', async () => {
    const place = newPlace();
    const denied = await chat(place, ['--once', 'run touch made.txt']);
    expect(denied.stderr).toContain('denied bash: nobody is there to give an approval (--allow bash');
    expect(readdirSync(place.folder)).toEqual(['notes.md']);
    await chat(place, ['--once', '--allow', 'bash', 'run touch made.txt']);
    expect(readdirSync(place.folder)).toEqual(['made.txt', 'notes.md']);
  });

  it('asks for what somebody outside the sandbox runs, whatever is allowed, and so denies it here', async () => {
    const place = newPlace();
    const { stderr } = await chat(place, ['--once', '--allow-all', 'write "evil" to .envrc']);
    expect(stderr).toContain('.envrc is asked for in any case');
    expect(readdirSync(place.folder)).toEqual(['notes.md']);
  });

  it('prints events as JSON lines', async () => {
    const { stdout } = await chat(newPlace(), ['--json', 'hello']);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; seq?: number });
    expect(events[0]).toMatchObject({ type: 'chat:session', data: { model: 'demo:scripted' } });
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run:start', 'llm:chunk', 'run:end']),
    );
    expect(events.at(-1)?.type).toBe('run:end');
  });
});

describe('throughline chat with wrong options', () => {
  it.each([
    [['--once', '--model', 'gpt5', 'hi'], 'gpt5 is no model'],
    [['--once', '--model', 'gpt5', 'hi'], 'For a server of your own give --base-url with it.'],
    [['--once'], 'Nothing was said'],
    [[], 'Nothing was said'],
    [['--json'], 'Nothing was said'],
    [['--once', '--session', 'nope', 'hi'], 'There is no session nope'],
    [['--once', '--session', 'x', '--continue', 'hi'], '--session or --continue, not both'],
    [['--once', '--allow', 'bsh', 'hi'], '--allow names no tool: bsh'],
    [['--once', '--base-url', 'http://127.0.0.1:1', 'hi'], 'give --model with it'],
    [['--once', '--model', 'anthropic:x', '--base-url', 'nowhere', 'hi'], 'http or https'],
    [['--json', '--allow', 'bsh', 'hi'], '--allow names no tool: bsh'],
  ])('refuses %j with a sentence', async (args, sentence) => {
    const place = newPlace();
    const cli = captureCli({
      compose: () => Promise.resolve(realComposition),
      env: { HOME: place.home },
      workingFolder: place.folder,
      readInput: () => Readable.from([' \n', '\n']),
    });
    expect(await runCommandLine(['chat', ...args], cli, '0.0.0')).toBe(2);
    expect(cli.stderr()).toContain(sentence);
    if (args.includes('--json'))
      expect(JSON.parse(cli.stdout().trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
        error: { code: 'usage' },
      });
    else expect(cli.stdout()).toBe('');
  });
});

it('throughline chat names the option, not the variable it stands for, where what it says is wanting', async () => {
  const place = newPlace();
  const cli = captureCli({
    compose: () => Promise.resolve(realComposition),
    env: { HOME: place.home, THROUGHLINE_AGENT_MAX_STEPS: 'many' },
    workingFolder: place.folder,
  });
  expect(await runCommandLine(['chat', '--once', '--model', 'openai:x', 'hi'], cli, '0.0.0')).toBe(3);
  expect(cli.stderr()).toContain('THROUGHLINE_AGENT_MAX_STEPS: agent.maxSteps: expected');
  const keyless = captureCli({ env: { HOME: place.home }, workingFolder: place.folder });
  expect(await runCommandLine(['chat', '--once', '--model', 'openai:x', 'hi'], keyless, '0.0.0')).toBe(5);
  expect(keyless.stderr()).toContain(
    '--model: model.apiKeyEnv: the environment variable OPENAI_API_KEY is not set.',
  );
  expect(cli.stderr() + keyless.stderr()).not.toContain('THROUGHLINE_MODEL');
});

describe('throughline chat with files that are not there', () => {
  it.each([
    [['--workspace', 'gone'], 'The workspace', 'there is no such file or folder'],
    [['--workspace', 'notes.md'], 'The workspace', 'a part of this path is no folder'],
    [['--config', 'gone.yaml'], 'The configuration', 'there is no such file'],
    [['--config', 'profile.yaml'], 'The profile', 'there is no such file'],
  ])('says of %j what is wrong, and ends with 3', async (args, what, reason) => {
    const place = newPlace();
    writeInto(place.folder, 'profile.yaml', 'context: { compaction: { options: { profile: ./gone.md } } }\n');
    const cli = captureCli({
      compose: () => Promise.resolve(realComposition),
      env: { HOME: place.home },
      workingFolder: place.folder,
    });
    expect(await runCommandLine(['chat', '--once', ...args, 'hi'], cli, '0.0.0')).toBe(3);
    expect(cli.stderr()).toMatch(new RegExp(`${what} .* cannot be read: ${reason}`));
  });
});

it('throughline chat tells at its end that telemetry could not be sent', async () => {
  const collector = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(400).end());
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void collector.close());
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const place = newPlace();
  writeInto(place.folder, 'throughline.yaml', `telemetry: { enabled: true, endpoint: "${endpoint}" }\n`);
  const { code, stderr } = await chat(place, ['--trust', '--once', 'help']);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`could not be sent to ${endpoint}.`)]);
});

describe('throughline chat with lines on standard input', () => {
  it('takes each as a message or a command, and ends with the first that does not end well', async () => {
    const input = 'read notes.md\n\n/compact\nsearch for TODO\n/compcat\nlist files\n';
    const { code, stdout, stderr } = await chat(newPlace(), [], input);
    expect(stdout).toMatch(/I read `notes\.md`[^]*I search for “TODO”/);
    expect(stderr).toMatch(/nothing to compact[^]*Did you mean \/compact\?/);
    expect([code, stdout]).toEqual([1, expect.not.stringContaining('I list the files')]);
  });
});

describe('throughline chat with a server of its own', () => {
  it('streams what an OpenAI-compatible one answers, without what a terminal would obey', async () => {
    const url = await serve((response) => streamText(response, ['Good', ' morning', '\u001b[31m.']));
    const { code, stdout } = await chat(newPlace(), ['--model', 'tiny', '--base-url', url, '--once', 'hi']);
    expect([code, stdout]).toEqual([0, 'Good morning␛[31m.\n']);
  });

  it('says that it tries again while the server is busy', async () => {
    let asked = 0;
    const url = await serve((response) => {
      asked += 1;
      if (asked > 1) return streamText(response, ['Good morning.']);
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '0' });
      response.end(JSON.stringify({ error: { message: 'The model is loading' } }));
    });
    const { code, stdout, stderr } = await chat(newPlace(), [
      '--model',
      'tiny',
      '--base-url',
      url,
      '--once',
      'hi',
    ]);
    expect([code, stdout]).toEqual([0, 'Good morning.\n']);
    expect(stderr).toMatch(/The model is loading\. Try 2 /);
  });

  it('says what to do about a wrong key, and ends with 1', async () => {
    const url = await serve((response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'Incorrect API key', code: 'invalid_api_key' } }));
    });
    const { code, stderr } = await chat(newPlace(), ['--model', 'tiny', '--base-url', url, '--once', 'hi']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/Incorrect API key.* Check the key: .*THROUGHLINE_API_KEY/),
    ]);
  });

  it('keeps what was said when it is interrupted, and ends with 130', async () => {
    const place = newPlace();
    const url = await serve((response) => streamText(response, ['Half an ans', 'wer'], false));
    const child = start(place, ['--model', 'tiny', '--base-url', url, '--once', 'hi']);
    child.stdout?.once('data', () => child.kill('SIGINT'));
    const { code, stdout, stderr } = await endOf(child);
    expect([code, stdout.startsWith('Half an ans')]).toEqual([130, true]);
    expect(stderr).toContain('Cancelled; what was said so far is kept.');
    const looked = await chat(place, ['--continue', '--once', '/context']);
    expect(looked.stderr).toContain('Half an ans');
  });
});

/** `script` of util-linux gives the program a terminal of its own. */
const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');

describe.skipIf(!hasScript)('throughline chat on a terminal', () => {
  function onTerminal(place: Place, args: readonly string[], size = 'cols 80 rows 24'): ChildProcess {
    const program = [process.execPath, ...runtime, 'chat', ...args].map((word) => `'${word}'`).join(' ');
    const shell = `stty ${size}; exec ${program}`;
    return spawn('/usr/bin/script', ['-qefc', shell, '/dev/null'], {
      cwd: place.folder,
      env: { ...environmentOf(place), TERM: 'xterm-256color' },
    });
  }

  /** Types each text once the screen has shown what it waits for. */
  async function converse(child: ChildProcess, steps: readonly (readonly [RegExp, string])[]): Promise<End> {
    let screen = '';
    const left = [...steps];
    child.stdout?.on('data', (chunk: Buffer) => {
      screen += chunk.toString();
      const [next] = left;
      if (!next?.[0].test(screen)) return;
      left.shift();
      screen = '';
      // A key that comes with the question is not taken for an answer.
      setTimeout(() => child.stdin?.write(next[1]), 500);
    });
    const end = await endOf(child);
    expect(left).toEqual([]);
    return end;
  }

  it('takes messages, asks for an approval, runs commands and leaves', async () => {
    const place = newPlace();
    const { code, stdout } = await converse(onTerminal(place, []), [
      [/demo:scripted/, 'run touch made.txt\r'],
      [/Allow bash\?/, 'y'],
      [/\(demo\) `bash` answered/, '/context\r'],
      [/The next request has/, '\u0004'],
    ]);
    expect(code).toBe(0);
    expect(existsSync(`${place.folder}/made.txt`)).toBe(true);
    expect(stdout.split('\n').findLast((line) => line.includes('session_'))).toMatch(
      /throughline chat --session session_[\w-]+\s*$/,
    );
    // The cursor is shown again, and pasting is as it was.
    expect(stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThan(stdout.lastIndexOf('\u001b[?25l'));
    expect(stdout).toContain('\u001b[?2004l');
  });

  it('takes a terminal that says no size for one of 80 columns', async () => {
    const terminal = onTerminal(newPlace(), [], 'cols 0 rows 0');
    const { stdout } = await converse(terminal, [[/demo:scripted · window/, '\u0004']]);
    expect(stdout).toContain('Ctrl-D leaves');
  });

  it('leaves at a Ctrl-D that is pressed as soon as the first line says so', async () => {
    const terminal = onTerminal(newPlace(), []);
    terminal.stdout?.once('data', () => terminal.stdin?.write('\u0004'));
    const { code, stdout } = await endOf(terminal);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Ctrl-D leaves')]);
  });

  it('stops a run at Ctrl-C, and leaves at the second', async () => {
    const { code, stdout } = await converse(onTerminal(newPlace(), ['tell', 'me', '3000', 'words']), [
      [/\(demo\) the demo model tells/, '\u0003'],
      [/Cancelled; what was said so far is kept/, '\u0003'],
    ]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('throughline chat --session')]);
  });
});
