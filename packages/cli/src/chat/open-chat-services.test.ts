import { describe, expect, it } from 'vitest';
import { modelNamed } from './open-chat-services.ts';
import { parseConfig } from '@throughline/config';
import type { ModelConfig } from '@throughline/config';

const cli = { env: { OPENAI_API_KEY: 'key' }, workingFolder: '/nowhere' };

const own = modelOf(`model:
  provider: openai-compatible
  name: qwen3-coder
  baseUrl: http://gpu.lan:8000/v1
  headers: { X-Team: a }
  windowTokens: 64k
`);

function modelOf(text: string): ModelConfig {
  const parsed = parseConfig({
    file: { path: '/nowhere/c.yaml', text },
    environment: {},
    workingFolder: '/nowhere',
  });
  if (parsed.type === 'faults') throw new Error(parsed.faults[0]?.message);
  return parsed.config.model;
}

describe('modelNamed', () => {
  it.each(['qwen3-coder', 'openai-compatible:qwen3-coder'])(
    'finds the model of the configuration by %s, just as it is there',
    (name) => expect(modelNamed(name, own, cli)).toBe(own),
  );

  it('asks the same server for another model of its provider, whose window is its own', () => {
    const { baseUrl, headers } = own as Extract<ModelConfig, { baseUrl: string }>;
    const other = modelNamed('openai-compatible:qwen3:8b', own, cli);
    expect(other).toMatchObject({ name: 'qwen3:8b', baseUrl, headers, windowTokens: undefined });
  });

  it('finds models of other providers at their own address', () => {
    expect(modelNamed('openai:gpt-5', own, cli)).toMatchObject({
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'key',
      headers: {},
    });
    expect(modelNamed('demo', own, cli)).toMatchObject({ provider: 'demo' });
    expect(modelNamed('ollama:qwen3', modelOf('model: demo'), cli)).toMatchObject({ provider: 'ollama' });
  });

  it('names what is wrong with a name', () => {
    expect(() => modelNamed('anthropic:claude-opus-4-5', own, cli)).toThrow('needs a key');
    expect(() => modelNamed('qwen4', own, cli)).toThrow('qwen4 is no model');
    expect(() => modelNamed('openai-compatible:', own, cli)).toThrow('is no model');
  });
});
