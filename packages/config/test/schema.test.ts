import { describe, expect, it } from 'vitest';
import { jsonSchema, parseConfig } from '@throughline/config';
import { readFileSync } from 'node:fs';
import { schemaPath } from './schema-file.ts';
import { parse } from 'yaml';
import { z } from 'zod';

const schema = z.fromJSONSchema(jsonSchema() as z.core.JSONSchema.BaseSchema);

describe('the schema for editors', () => {
  it('is the checked-in one (npm run api:update rewrites it)', () => {
    expect(JSON.parse(readFileSync(schemaPath, 'utf8'))).toEqual(jsonSchema());
  });

  it.each([
    'model: ollama:qwen3:8b\nsummariser: same',
    'model: { provider: openai, name: m, windowTokens: 32k, timeoutMs: 30s }',
    'summarizer: { provider: anthropic, name: m, temperature: 0.3 }',
    'context: { target: 40%, compression: { strategy: digest, options: { profile: ./a.md, keepPercent: 20% } } }',
    'tools: { default: { approval: ask }, bash: { maxOutputChars: 10k } }',
    'mcpServers: { a: { command: x, args: [-p, 80], env: { A: 1 } }, b: { url: "http://a" } }',
    'server: { port: 0, maxBodyBytes: 8MB, allowedHosts: [a.example] }',
    'proxy: { routes: { a: { upstream: agent, context: { compression: { auto: false } } } } }',
    'store: { type: memory }\ntelemetry: { sampleRatio: 10% }',
  ])('takes what the program takes: %s', (text) => {
    expect(parseConfig({ file: { path: '/a.yaml', text }, environment: {}, workingFolder: '/' }).type).toBe(
      'config',
    );
    expect(schema.safeParse(parse(text)).error?.issues).toBeUndefined();
  });

  it.each([
    'modle: x',
    'model: gpt-5',
    'model: { provider: nobody, name: m }',
    'agent: { maxSteps: 0 }',
    'context: { compaction: { strategy: none } }',
    'tools: { bash: { approval: maybe } }',
    'server: { port: 70000 }',
  ])('refuses what the program refuses: %s', (text) => {
    expect(parseConfig({ file: { path: '/a.yaml', text }, environment: {}, workingFolder: '/' }).type).toBe(
      'faults',
    );
    expect(schema.safeParse(parse(text)).success).toBe(false);
  });

  it('tells what each key is for', () => {
    const bare: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const {
        properties = {},
        additionalProperties,
        anyOf = [],
      } = node as {
        properties?: Record<string, { description?: string }>;
        additionalProperties?: unknown;
        anyOf?: unknown[];
      };
      for (const [key, child] of Object.entries(properties)) {
        if (!child.description) bare.push(`${path}.${key}`);
        visit(child, `${path}.${key}`);
      }
      [additionalProperties, ...anyOf].forEach((child) => visit(child, `${path}.*`));
    };
    visit(jsonSchema(), '');
    expect(bare).toEqual([]);
  });
});
