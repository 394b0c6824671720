import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../src/parse-config.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}

const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const nodes = Object.entries(services).filter(([name]) => name.startsWith('node-'));

/** What an nginx text says, without its notes, and without what is particular to the place. */
function directivesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '' && !/^(listen|server_name) /.test(line));
}

describe('the containers', () => {
  it('of the nodes are begun with a configuration that is right, and are given all that it reads', () => {
    expect(nodes).toHaveLength(3);
    for (const [, { command, environment = {}, volumes = [] }] of nodes) {
      expect(command).toEqual(['serve', '--config', '/etc/throughline/throughline.yaml']);
      expect(volumes).toContain('./throughline.yaml:/etc/throughline/throughline.yaml:ro');
      const given = Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, value.replaceAll(/\$\{[^}]*\}/g, 'x')]),
      );
      const parsed = parseConfig({
        file: { path: '/etc/throughline/throughline.yaml', text: read('deploy/throughline.yaml') },
        environment: given,
        workingFolder: '/workspace',
      });
      expect(parsed).toMatchObject({ type: 'config', warnings: [] });
      if (parsed.type !== 'config') continue;
      const { stopGraceMs } = parsed.config.server;
      expect(1_000 * Number.parseInt(services['node-1']?.stop_grace_period ?? '', 10)).toBeGreaterThan(
        stopGraceMs + 10_000,
      );
    }
  });

  it('stand behind a balancer that says what the guide says, and knows all of them', () => {
    const [, guide = ''] = /```nginx\n([^]*?)```/.exec(read('docs/guides/several-machines.md')) ?? [];
    const text = read('deploy/nginx.conf');
    expect(directivesOf(text)).toEqual(directivesOf(guide));
    expect([...text.matchAll(/server (node-\d):4100/g)].map(([, name]) => name)).toEqual(
      nodes.map(([name]) => name),
    );
  });

  it('are made of this clone as README installs it', () => {
    const commands = [...read('deploy/Dockerfile').matchAll(/^RUN (.*)$/gm)].map(([, command]) => command);
    expect(commands).toContain('npm ci && npm run pack');
    expect(commands.some((command) => command?.includes('npm install --global /tarballs/*.tgz'))).toBe(true);
    expect(JSON.parse(read('package.json'))).toHaveProperty('scripts.pack');
  });
});
