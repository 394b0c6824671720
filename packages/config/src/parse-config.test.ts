import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultSentence } from './yaml/config-fault.ts';
import { parseConfig } from './parse-config.ts';
import { showConfig } from './schema/secrets.ts';
import type { Config } from './schema/config.ts';
import type { ConfigResult } from './parse-config.ts';
import type { Environment } from './environment/variables.ts';

const home = { HOME: '/home/ada' };

function parse(text: string, environment: Environment = {}): ConfigResult {
  return parseConfig({
    file: { path: '/home/me/project/throughline.yaml', name: 'throughline.yaml', text },
    environment: { ...home, ...environment },
    workingFolder: '/home/me/here',
  });
}

function configOf(text: string, environment: Environment = {}): Config {
  const result = parse(text, environment);
  if (result.type === 'faults') throw new Error(result.faults.map(faultSentence).join('\n'));
  return result.config;
}

function faultsOf(text: string, environment: Environment = {}): string[] {
  const result = parse(text, environment);
  return result.type === 'faults' ? result.faults.map(faultSentence) : [];
}

const warningsOf = (text: string, environment: Environment = {}): string[] =>
  parse(text, environment).warnings.map(faultSentence);

describe('what is not said', () => {
  it('has its default, without a file too', () => {
    const { type, ...rest } = parseConfig({ environment: home, workingFolder: '/home/me/here' });
    expect(type).toBe('config');
    expect(rest).toEqual({
      config: configOf('agent: { workspace: /home/me/here }\n'),
      warnings: [],
      wants: [],
      variables: [],
    });
  });

  it.each(['', '\n# nothing\n', '---\n', 'model:\ncontext:\n'])('leaves the demo to answer: %j', (text) => {
    expect(configOf(text).model).toEqual({ provider: 'demo', name: 'demo' });
  });

  it('takes the address of a Postgres for a store, in its short form, in its long one, and from the environment', () => {
    const databaseUrl = 'postgres://ada:pw-1@db.example/agents';
    const expected = { type: 'postgres', databaseUrl, connections: 10, blobs: { folder: undefined } };
    const environment = { DATABASE_URL: databaseUrl };
    expect(configOf(`store: ${databaseUrl}`).store).toEqual(expected);
    expect(configOf('store: ${DATABASE_URL}', environment).store).toEqual(expected);
    const long =
      'store: { type: postgres, databaseUrl: "${DATABASE_URL}", connections: 4, blobs: { folder: b } }';
    expect(configOf(long, environment).store).toMatchObject({ databaseUrl, connections: 4 });
    const inBucket = { THROUGHLINE_STORE_BLOBS_BUCKET: 's3://box/of/ours' };
    expect(configOf(`store: ${databaseUrl}`, inBucket).store).toEqual({
      ...expected,
      blobs: { folder: undefined, bucket: { address: 's3://box/of/ours' } },
    });
    expect(configOf('', { THROUGHLINE_STORE: databaseUrl }).store).toEqual(expected);
    const one = { THROUGHLINE_STORE_CONNECTIONS: '5' };
    expect(configOf(`store: ${databaseUrl}`, one).store).toEqual({ ...expected, connections: 5 });
  });

  it('shows the address of a store to nobody', () => {
    for (const text of [
      'store: postgres://ada:pw-1@db.example/agents',
      'store: { type: postgres, databaseUrl: "postgres://ada:pw-1@db.example/agents" }',
    ])
      expect(showConfig(configOf(text))).not.toMatch(/pw-1|ada/);
    expect(faultsOf('store: { type: postgres, databaseUrl: "mysql://ada:pw-1@db/agents" }')).toEqual([
      'throughline.yaml:1:39: store.databaseUrl: expected an address as "postgres://user@host/database", found a value that is not shown.',
    ]);
    expect(faultsOf('store: "${NOT_THERE}"')).toEqual([
      expect.stringContaining('expected the environment variable NOT_THERE to be set'),
      expect.stringContaining('store.databaseUrl'),
    ]);
  });

  it('puts the store where the user keeps data, and blobs beside it', () => {
    expect(configOf('').store).toEqual({
      type: 'sqlite',
      file: '/home/ada/.local/share/throughline/throughline.db',
      blobs: { folder: '/home/ada/.local/share/throughline/blobs' },
    });
    const { store } = configOf('', { XDG_DATA_HOME: '/data' });
    expect(store).toMatchObject({ file: '/data/throughline/throughline.db' });
  });

  it('works in the folder the program was started in', () => {
    expect(configOf('').agent).toEqual({
      maxSteps: 50,
      graceMs: 60_000,
      workspace: '/home/me/here',
      sandboxNetwork: false,
      privateFiles: ['.env', '.env.*'],
    });
  });
});

it('a duration is never longer than a timer can wait, which would fire at once', () => {
  const config = configOf(
    'agent: { maxDurationMs: 60d, graceMs: 24d }\nmodel: { provider: ollama, name: m, timeoutMs: 1e15 }',
  );
  expect(config.agent).toMatchObject({ maxDurationMs: 2 ** 31 - 1, graceMs: 24 * 86_400_000 });
  expect(config.model).toMatchObject({ timeoutMs: 2 ** 31 - 1 });
});

describe('a model', () => {
  it.each([
    ['openai:gpt-5', { protocol: 'openai-chat', baseUrl: 'https://api.openai.com/v1', endpoint: 'hosted' }],
    ['openai-responses:gpt-5', { protocol: 'openai-responses', apiKeyEnv: 'OPENAI_API_KEY' }],
    ['anthropic:claude-opus-4-5', { protocol: 'anthropic', apiKeyEnv: 'ANTHROPIC_API_KEY' }],
    ['ollama:qwen3:8b', { name: 'qwen3:8b', baseUrl: 'http://localhost:11434/v1', endpoint: 'local' }],
    ['openrouter:openai/gpt-5', { name: 'openai/gpt-5', apiKeyEnv: 'OPENROUTER_API_KEY', needsKey: true }],
    ['lmstudio:qwen/qwen3-8b', { name: 'qwen/qwen3-8b', needsKey: false }],
    ['demo', { provider: 'demo' }],
    ['demo:demo', { provider: 'demo', name: 'demo' }],
  ])('%s is written in one line', (text, expected) => {
    expect(configOf(`model: ${text}`).model).toMatchObject(expected);
  });

  it('takes a section with all there is to say', () => {
    const text = `
model:
  provider: openai-compatible
  name: big
  baseUrl: http://gpu.lan:8000/v1/
  apiKeyEnv: GPU_KEY
  headers: { x-team: "\${TEAM}", x-number: 7 }
  windowTokens: 32k
  maxOutputTokens: 4_000
  temperature: 0.3
  timeoutMs: 2m
  idleTimeoutMs: 90s
`;
    expect(configOf(text, { GPU_KEY: 'k', TEAM: 'blue' }).model).toEqual({
      provider: 'openai-compatible',
      protocol: 'openai-chat',
      name: 'big',
      baseUrl: 'http://gpu.lan:8000/v1',
      endpoint: 'local',
      apiKeyEnv: 'GPU_KEY',
      needsKey: true,
      apiKey: 'k',
      headers: { 'x-team': 'blue', 'x-number': '7' },
      windowTokens: 32_000,
      maxOutputTokens: 4_000,
      temperature: 0.3,
      timeoutMs: 120_000,
      idleTimeoutMs: 90_000,
    });
  });

  it.each([
    ['http://localhost:1', 'local'],
    ['http://192.168.1.7:1', 'local'],
    ['http://gpu:1', 'local'],
    ['http://box.local:1', 'local'],
    ['http://[::1]:1', 'local'],
    ['http://[fd00::1]:1', 'local'],
    ['http://[2001:db8::1]:1', 'hosted'],
    ['https://models.example.com', 'hosted'],
    ['http://127.0.0.1.example.com', 'hosted'],
  ])('at %s is %s', (baseUrl, expected) => {
    const text = `model: { provider: openai-compatible, name: m, baseUrl: "${baseUrl}/v1" }`;
    expect(configOf(text).model).toMatchObject({ endpoint: expected });
  });

  it('of Anthropic may have the version in its address', () => {
    const text = 'model: { provider: anthropic, name: m, baseUrl: "https://api.anthropic.com/v1/" }';
    expect(configOf(text, { ANTHROPIC_API_KEY: 'k' }).model).toMatchObject({
      baseUrl: 'https://api.anthropic.com',
      apiKey: 'k',
    });
  });

  it("does not send a provider's key to another address", () => {
    const elsewhere = 'model: { provider: openai, name: m, baseUrl: "https://gateway.example/v1" }';
    const keys = { OPENAI_API_KEY: 'sk-openai', THROUGHLINE_API_KEY: 'tl' };
    expect(configOf(elsewhere, keys).model).toMatchObject({ apiKey: 'tl', endpoint: 'hosted' });
    expect(configOf(elsewhere, { OPENAI_API_KEY: 'sk-openai' }).model).toMatchObject({ apiKey: undefined });
    const own = 'model: { provider: openai, name: m, baseUrl: "https://api.openai.com/v2" }';
    expect(configOf(own, keys).model).toMatchObject({ apiKey: 'sk-openai' });
  });

  it('takes its key from the file with a warning, from variables without', () => {
    const text = 'model: { provider: openai, name: m, apiKey: sk-1 }';
    expect(configOf(text).model).toMatchObject({ apiKey: 'sk-1' });
    expect(warningsOf(text)).toEqual([
      'throughline.yaml:1:45: model.apiKey: a key in a file is soon in other hands; name its variable as apiKeyEnv instead.',
    ]);
    const named = 'model: { provider: openai, name: m, apiKey: "${MY_KEY}" }';
    expect(configOf(named, { MY_KEY: 'sk-2' }).model).toMatchObject({ apiKey: 'sk-2' });
    expect(warningsOf(named, { MY_KEY: 'sk-2' })).toEqual([]);
    const variables = { THROUGHLINE_MODEL: 'openai:m', THROUGHLINE_MODEL_API_KEY: 'sk-3' };
    expect(configOf('', variables).model).toMatchObject({ name: 'm', apiKey: 'sk-3' });
    expect(warningsOf('', variables)).toEqual([]);
  });

  it('takes a key without the blanks around it, and blanks for none', () => {
    const keyOf = (held: string): string | undefined => {
      const { model } = configOf('model: openai:gpt-5', { OPENAI_API_KEY: held });
      return model.provider === 'demo' ? 'no' : model.apiKey;
    };
    expect(keyOf(' key-1\n')).toBe('key-1');
    expect(keyOf(' \n')).toBeUndefined();
    expect(warningsOf('model: openai:gpt-5', { OPENAI_API_KEY: ' ' })).toHaveLength(1);
  });

  it('warns where its key is not there', () => {
    expect(warningsOf('model: anthropic:claude-opus-4-5')).toEqual([
      'throughline.yaml:1:1: model.apiKeyEnv: the environment variable ANTHROPIC_API_KEY is not set.',
    ]);
    expect(warningsOf('model: ollama:qwen3')).toEqual([]);
  });

  it('and a server are told when a variable they name holds nothing', () => {
    const text = 'server: { host: 0.0.0.0, tokenEnv: TOKEN }';
    const told = 'throughline.yaml:1:36: server.tokenEnv: the environment variable TOKEN is not set.';
    expect(warningsOf(text)).toEqual([told]);
    expect(warningsOf(text, { TOKEN: '' })).toEqual([told]);
    expect(warningsOf(text, { TOKEN: 't' })).toEqual([]);
  });

  it('is the same for summaries unless it is named', () => {
    expect(configOf('').summarizer).toBe('same');
    expect(configOf('summarizer: same').summarizer).toBe('same');
    const small = configOf('model: demo\nsummariser: ollama:small').summarizer;
    expect(small).toMatchObject({ provider: 'ollama', name: 'small' });
  });
});

describe('paths', () => {
  it('begin in the folder of the file, or where the program was started when a variable says them', () => {
    const text = `
agent: { workspace: ./src }
store: { file: data/a.db }
context: { compaction: { options: { profile: ./prompt.md } } }
mcpServers: { one: { command: x, cwd: tools } }
`;
    const config = configOf(text, { THROUGHLINE_STORE_BLOBS_FOLDER: 'blobs' });
    expect(config.agent.workspace).toBe('/home/me/project/src');
    expect(config.store).toEqual({
      type: 'sqlite',
      file: '/home/me/project/data/a.db',
      blobs: { folder: '/home/me/here/blobs' },
    });
    expect(config.context.compaction.options.profile).toBe('/home/me/project/prompt.md');
    expect(config.mcpServers['one']).toMatchObject({ cwd: '/home/me/project/tools' });
    expect(configOf('store: { file: ~/a.db }').store).toMatchObject({ file: '/home/ada/a.db' });
  });
});

describe('second names', () => {
  it('mean the same', () => {
    const text = 'context: { compression: { strategy: digest } }';
    expect(configOf(text).context.compaction.strategy).toBe('digest');
    const route = `proxy: { routes: { a: { upstream: agent, ${text} } } }`;
    expect(configOf(route).proxy.routes['a']?.context?.compaction.strategy).toBe('digest');
  });

  it('are a fault beside the first ones', () => {
    expect(faultsOf('summarizer: same\nsummariser: same')).toEqual([
      'throughline.yaml:2:1: summariser: is another name of summarizer, and both are there; put everything under summarizer.',
    ]);
  });

  it('work in variables', () => {
    const variables = {
      THROUGHLINE_SUMMARISER: 'ollama:small',
      THROUGHLINE_CONTEXT_COMPRESSION_STRATEGY: 'digest',
    };
    const config = configOf('', variables);
    expect(config.summarizer).toMatchObject({ name: 'small' });
    expect(config.context.compaction.strategy).toBe('digest');
  });
});

describe('variables', () => {
  it('go before the file, key by key', () => {
    const text =
      'model: ollama:qwen3\nagent: { maxSteps: 3, graceMs: 1s }\ncontext: { compaction: { auto: true } }';
    const result = parse(text, {
      THROUGHLINE_AGENT_MAX_STEPS: '7',
      THROUGHLINE_CONTEXT_COMPACTION_AUTO: 'false',
      THROUGHLINE_CONTEXT_WINDOW: ' 64k ',
      THROUGHLINE_MODEL_BASE_URL: 'http://gpu:1/v1',
      THROUGHLINE_SERVER_ALLOWED_HOSTS: 'a.example, b.example',
      THROUGHLINE_TOOLS_BASH_APPROVAL: 'deny',
      THROUGHLINE_TOOLS_DEFAULT_MAX_OUTPUT_CHARS: '9k',
      THROUGHLINE_TELEMETRY_ENABLED: '',
    });
    expect(result).toMatchObject({
      type: 'config',
      config: {
        model: { name: 'qwen3', baseUrl: 'http://gpu:1/v1' },
        agent: { maxSteps: 7, graceMs: 1_000 },
        context: { window: 64_000, compaction: { auto: false } },
        server: { allowedHosts: ['a.example', 'b.example'] },
        tools: { bash: { approval: 'deny' }, default: { maxOutputChars: 9_000 } },
      },
    });
    expect(result.variables).toHaveLength(7);
  });

  it.each([
    ['model: openai:gpt-5', { provider: 'ollama', name: 'small' }],
    ['model: { provider: openai, name: gpt-5, maxOutputTokens: 5k }', { provider: 'ollama', name: 'small' }],
    ['', { provider: 'ollama', name: 'small' }],
  ])('name another model than the file: %j', (text, model) => {
    expect(configOf(text, { THROUGHLINE_MODEL: 'ollama:small' }).model).toMatchObject(model);
  });

  it('add to each other in whatever order they are set', () => {
    const name = ['THROUGHLINE_MODEL', 'openai-compatible:m'] as const;
    const address = ['THROUGHLINE_MODEL_BASE_URL', 'http://localhost:1/v1'] as const;
    for (const order of [
      [name, address],
      [address, name],
    ])
      expect(configOf('', Object.fromEntries(order)).model).toMatchObject({
        name: 'm',
        baseUrl: 'http://localhost:1/v1',
      });
  });

  it('make a summariser out of the same model as the session', () => {
    const text = 'model: openai:gpt-5\nsummarizer: same';
    const variables = { THROUGHLINE_SUMMARIZER_PROVIDER: 'ollama', THROUGHLINE_SUMMARIZER_NAME: 'small' };
    expect(configOf(text, variables).summarizer).toMatchObject({ provider: 'ollama', name: 'small' });
  });

  it('are named where what they say is wrong', () => {
    expect(faultsOf('', { THROUGHLINE_AGENT_MAX_STEPS: 'many' })).toEqual([
      'THROUGHLINE_AGENT_MAX_STEPS: agent.maxSteps: expected a whole number ≥ 1, found "many".',
    ]);
  });

  it('that nothing reads are told', () => {
    const variables = {
      THROUGHLINE_MODLE: 'demo',
      THROUGHLINE_QQQQQQQQ: '1',
      THROUGHLINE_DEBUG: '1',
      THROUGHLINE_API_KEY: 'k',
    };
    expect(warningsOf('', variables)).toEqual([
      'THROUGHLINE_MODLE: nothing reads this variable; did you mean THROUGHLINE_MODEL?',
      'THROUGHLINE_QQQQQQQQ: nothing reads this variable.',
    ]);
  });

  it('that another variable names are read', () => {
    const variables = { THROUGHLINE_SERVER_TOKEN_ENV: 'THROUGHLINE_TOKEN', THROUGHLINE_TOKEN: 't' };
    expect(warningsOf('', variables)).toEqual([]);
  });

  it('that the file names are read', () => {
    const text = [
      'server: { tokenEnv: THROUGHLINE_TOKEN, tokens: { ann: { tokenEnv: THROUGHLINE_ANN } } }',
      'store: { type: postgres, databaseUrl: "postgres://${THROUGHLINE_USER}@${THROUGHLINE_HOST:-db}/x" }',
    ].join('\n');
    const variables = {
      THROUGHLINE_TOKEN: 't',
      THROUGHLINE_ANN: 'a',
      THROUGHLINE_USER: 'u',
      THROUGHLINE_HOST: 'h',
      THROUGHLINE_OTHER: '1',
    };
    expect(warningsOf(text, variables)).toEqual(['THROUGHLINE_OTHER: nothing reads this variable.']);
  });

  it('stand in secrets of the file, and nowhere else', () => {
    const text = `
agent: { instructions: "\${HOME}" }
mcpServers:
  one: { url: "http://a.example", headers: { Authorization: "Bearer \${TOKEN}", x: "\${NONE:-plain}" } }
`;
    const config = configOf(text, { TOKEN: 't' });
    expect(config.mcpServers['one']).toMatchObject({ headers: { Authorization: 'Bearer t', x: 'plain' } });
    expect(config.agent.instructions).toBe('${HOME}');
    expect(faultsOf(text)).toEqual([
      'throughline.yaml:4:61: mcpServers.one.headers.Authorization: expected the environment variable TOKEN to be set, found none.',
    ]);
  });
});

describe('faults', () => {
  it('all come at once, in the order of the file, each with its place, key, what was expected and what was found', () => {
    const text = `model: openai/gpt-5
agent:
  maxStep: 5
  graceMs: 30x
context:
  window: 64k
  outputReserve: 60k
  compression: { strategy: reactive }
mcpServers:
  x: { comand: npx }
  bad name: { command: x }
server: { host: 0.0.0.0, port: 99999, port: 2 }
store: sqlite
`;
    expect(
      faultsOf(text).map((line) => line.replace(/expected a model.*?found/, 'expected …, found')),
    ).toEqual([
      'throughline.yaml:1:8: model: expected …, found "openai/gpt-5"; did you mean openai:gpt-5?',
      'throughline.yaml:3:3: agent.maxStep: unknown key; did you mean maxSteps?',
      'throughline.yaml:4:12: agent.graceMs: expected a duration (milliseconds, or a number with ms, s, m, h, d) ≥ 0, found "30x".',
      'throughline.yaml:7:18: context.outputReserve: expected outputReserve and safety to be at most half of the window of 64000 tokens, found 60000.',
      'throughline.yaml:8:28: context.compaction.strategy: expected one of reactive-overflow, proactive-threshold, threshold-tail, middle-removal, pruning-agent, digest, found "reactive"; did you mean reactive-overflow?',
      'throughline.yaml:10:3: mcpServers.x.command: expected a text that is not empty, found nothing.',
      'throughline.yaml:10:8: mcpServers.x.comand: unknown key; did you mean command?',
      'throughline.yaml:11:3: mcpServers: expected 1 to 64 letters, digits, "_" or "-" as a name, found "bad name".',
      'throughline.yaml:12:17: server.host: expected server.tokenEnv to name the variable with a token, because others can reach this address, found none.',
      'throughline.yaml:12:32: server.port: expected a whole number from 0 to 65535, found 99999.',
      'throughline.yaml:12:39: server.port: the key is there twice; the first is in line 12.',
      'throughline.yaml:13:8: store: expected an address as "postgres://user@host/database", or a section with keys of its own, found "sqlite".',
    ]);
  });

  it('say of a known key in the wrong company that it is the company', () => {
    expect(faultsOf('mcpServers: { x: { command: npx, url: "http://host" } }')).toEqual([
      'throughline.yaml:1:34: mcpServers.x.url: does not go with the other keys that stand here.',
    ]);
  });

  it('tell expected, found and suggestion apart for programs', () => {
    const result = parse('tools: { bash: { approval: alow } }');
    expect(result).toMatchObject({
      type: 'faults',
      faults: [
        {
          place: { type: 'file', file: 'throughline.yaml', line: 1, column: 28, length: 4 },
          key: 'tools.bash.approval',
          expected: 'one of allow, ask, deny',
          found: '"alow"',
          suggestion: 'allow',
        },
      ],
    });
  });

  it.each([
    ['model: [a', /^throughline\.yaml:1:\d+: .*a bracket is not closed/],
    ['\tmodel: x', /a tab indents the line/],
    ['- a\n- b', /expected keys with values, as "model: …", found a list/],
    ['just words', /found a single value/],
    ['a: *nobody', /an alias \(\*name\) has no anchor/],
    ['model: x\0', /expected a text in UTF-8, found binary data/],
    ['a: 1\n---\nb: 2', /more than one document/],
    [`model: "${'x'.repeat(300_000)}"`, /expected at most 262144 characters/],
    [
      `a: &a [1]\n${Array.from({ length: 12 }, (_, at) => `k${at}: &k${at} [${'*a,'.repeat(1)}]`).join('\n')}`,
      /unknown key/,
    ],
    [`x: ${'['.repeat(200)}`, /./],
    ['__proto__: 1', /expected a word as key/],
    ['? [a]\n: 1', /expected a word as key/],
  ])('name a text that is no configuration: %j', (text, pattern) => {
    const faults = faultsOf(text);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join('\n')).toMatch(pattern);
  });

  it('stop at what nobody nests so deep', () => {
    const nested = (depth: number): string => `model: ${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(faultsOf(nested(40))[0]).toMatch(/nested at most 32 deep/);
    expect(faultsOf(nested(20))[0]).not.toMatch(/nested/);
  });

  it('stop at aliases that repeat each other', () => {
    const lines = ['a: &l0 [x, x]'];
    for (let level = 1; level < 20; level += 1) {
      lines.push(`a${level}: &l${level} [${`*l${level - 1}, `.repeat(10)}]`);
    }
    expect(faultsOf(lines.join('\n')).join()).toMatch(/do aliases repeat each other/);
  });

  it('never show a secret', () => {
    const text = `
model: { provider: openai, name: m, apiKey: [sk-secret-1] }
server: { token: sk-secret-2, tokenEnv: sk-secret-3-abcdefghijklmnop }
mcpServers: { a: { url: "http://me:sk-secret-4@host" , headers: sk-secret-5 } }
summarizer: sk-secret-6-abcdefghijklmnopqrstu
`;
    const faults = JSON.stringify(parse(text));
    expect(faults).not.toContain('sk-secret');
  });

  it('say where a secret belongs', () => {
    expect(faultsOf('server: { token: abc }')).toEqual([
      "throughline.yaml:1:11: server.token: a secret does not belong into the file: put it into an environment variable, and that variable's name here as tokenEnv.",
    ]);
  });

  it.each([
    ['model: { provider: openai }', /expected the name of a model beside provider: openai/],
    ['model: { provider: openai-compatible, name: m }', /expected a baseUrl beside/],
    ['model: gpt-5', /did you mean openai:gpt-5\?/],
    ['summarizer: sam', /did you mean same\?/],
    ['store: { type: postgres }', /expected a databaseUrl beside type: postgres/],
    ['store: { type: postgres, databaseUrl: "postgres://h/d", file: a.db }', /no file beside type: postgres/],
    ['store: { databaseUrl: "postgres://h/d" }', /expected type: postgres beside it, found type: sqlite/],
    ['store: { type: memory, file: a.db }', /expected no file beside type: memory/],
    ['store: { type: memory, blobs: { folder: b } }', /expected no blobs.folder beside type: memory/],
    ['store: { blobs: { bucket: "s3://box" } }', /expected type: postgres beside it/],
    ['store: { type: postgres, databaseUrl: "postgres://h/d", blobs: { bucket: "s3:/box" } }', /as "s3:/],
    ['store: { blobs: { region: eu-1 } }', /expected a bucket beside it/],
    [
      'store: { type: postgres, databaseUrl: "postgres://h/d", blobs: { bucket: "s3://box", folder: b } }',
      /expected no folder beside a bucket/,
    ],
    ['maxSteps: 5', /did you mean agent\.maxSteps\?/],
    [
      'context: { prune: { protectTokens: 1 }, compaction: { options: { pruneProtectTokens: 2 } } }',
      /expected this or prune\.protectTokens/,
    ],
    [
      'proxy: { routes: { a: { upstream: agent, apiKeyEnv: KEY } } }',
      /expected no key beside upstream: agent/,
    ],
  ])('name what keys demand of each other: %s', (text, pattern) => {
    expect(faultsOf(text).join('\n')).toMatch(pattern);
  });
});

describe('warnings', () => {
  it('name options that the strategy does not look at, and tools with a slip', () => {
    const text = `
context:
  prune: { minimumTokens: 5k }
  compaction: { options: { keepPercent: 20 } }
tools: { bsh: { approval: ask }, mcp__a__b: { approval: allow } }
`;
    expect(warningsOf(text)).toEqual([
      'throughline.yaml:4:41: context.compaction.options.keepPercent: does nothing with reactive-overflow; it is for proactive-threshold.',
      'throughline.yaml:5:10: tools.bsh: is no built-in tool; did you mean bash?',
    ]);
  });
});

describe('any text and any environment', () => {
  const words = fc.constantFrom(
    'model',
    'context',
    'summariser',
    'tools',
    'a',
    '&x',
    '*x',
    '${A}',
    '~',
    'null',
    '"',
    ': ',
    '- ',
    '\n',
    '  ',
    '{',
    '}',
    '[',
    ']',
    '|',
    '>',
    '#',
    '!t',
    '1',
    '\t',
    '?',
    'env',
    'headers',
    'compression',
    'compaction',
  );

  it('give a configuration or faults, and never throw', () => {
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 40 }),
        fc.dictionary(
          fc.constantFrom(
            'THROUGHLINE_MODEL',
            'THROUGHLINE_TOOLS_A_APPROVAL',
            'THROUGHLINE_SUMMARIZER_NAME',
            'A',
          ),
          fc.string(),
        ),
        (pieces, environment) => {
          const result = parse(pieces.join(''), environment);
          if (result.type === 'faults') expect(result.faults.length).toBeGreaterThan(0);
        },
      ),
    );
  });
});
