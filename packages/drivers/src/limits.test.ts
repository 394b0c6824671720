import { describe, expect, it } from 'vitest';
import { discoverLimits } from './limits.ts';

/** A `fetch` for a server with these pages; everything else is not found. */
function server(pages: Readonly<Record<string, unknown>>, seen: Request[] = []): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    seen.push(request);
    const { host, pathname } = new URL(request.url);
    const page = pages[`${request.method} ${pathname}`];
    if (host !== 'local:1' || page === undefined) return new Response('404 page not found', { status: 404 });
    return new Response(typeof page === 'string' ? page : JSON.stringify(page));
  };
}

const ask = (pages: Readonly<Record<string, unknown>>, model = 'm'): Promise<unknown> =>
  discoverLimits({ baseUrl: 'http://local:1/v1', model }, server(pages));

describe('discoverLimits', () => {
  it('believes what LM Studio has loaded, not what it could', async () => {
    const data = [
      { id: 'other', state: 'not-loaded', max_context_length: 8_192 },
      {
        id: 'm',
        type: 'vlm',
        state: 'loaded',
        max_context_length: 131_072,
        loaded_context_length: 4_096,
        capabilities: ['tool_use'],
      },
    ];
    expect(await ask({ 'GET /api/v0/models': { object: 'list', data } })).toEqual({
      windowTokens: 4_096,
      hasTools: true,
      hasImages: true,
      source: 'LM Studio',
    });
  });

  it('does not believe in a window of LM Studio that is not loaded any more', async () => {
    const data = [{ id: 'm', state: 'not-loaded', max_context_length: 8_192, loaded_context_length: 2_048 }];
    expect(await ask({ 'GET /api/v0/models': { data } })).toMatchObject({ windowTokens: 8_192 });
  });

  it('takes the only model there is, whatever it is called, and none of several', async () => {
    const one = { id: 'model.gguf', context_length: 4_096 };
    expect(await ask({ 'GET /v1/models': { data: [one] } })).toMatchObject({ windowTokens: 4_096 });
    expect(await ask({ 'GET /v1/models': { data: [one, { ...one, id: 'other' }] } })).toBeUndefined();
  });

  it('finds the loaded instance of a newer LM Studio', async () => {
    const models = [
      { key: 'other', max_context_length: 8_192, loaded_instances: [] },
      {
        key: 'vendor/m',
        max_context_length: 131_072,
        loaded_instances: [{ id: 'm', config: { context_length: 16_384, parallel: 4 } }],
        capabilities: { vision: false, trained_for_tool_use: true },
      },
    ];
    expect(await ask({ 'GET /api/v1/models': { models } })).toEqual({
      windowTokens: 16_384,
      hasTools: true,
      hasImages: false,
      source: 'LM Studio',
    });
  });

  it('reads what one slot of llama.cpp has', async () => {
    expect(
      await ask({
        'GET /props': {
          default_generation_settings: { n_ctx: 1_024 },
          total_slots: 4,
          modalities: { vision: false },
        },
        'GET /v1/models': { data: [{ id: 'm.gguf', meta: { n_ctx: 1_024, n_ctx_train: 131_072 } }] },
      }),
    ).toEqual({ windowTokens: 1_024, hasImages: false, source: 'llama.cpp' });
  });

  it('asks a llama.cpp of several models for the one that is meant, and does not have it loaded', async () => {
    const seen: Request[] = [];
    const props = (request: Request): unknown => {
      const { searchParams } = new URL(request.url);
      const isAsked = searchParams.get('model') === 'a/b' && searchParams.get('autoload') === 'false';
      return { default_generation_settings: { n_ctx: isAsked ? 2_048 : 0 } };
    };
    const router: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      seen.push(request);
      if (new URL(request.url).pathname !== '/props') return new Response('', { status: 404 });
      return new Response(JSON.stringify(props(request)));
    };
    const told = await discoverLimits({ baseUrl: 'http://local:1/v1', model: 'a/b' }, router);
    expect(told).toEqual({ windowTokens: 2_048, source: 'llama.cpp' });
  });

  it('gives what vLLM adds to a model the window of that model', async () => {
    const data = [
      { id: 'base', parent: null, max_model_len: 8_192 },
      { id: 'm', parent: 'base', max_model_len: null },
    ];
    expect(await ask({ 'GET /v1/models': { data } })).toMatchObject({ windowTokens: 8_192 });
  });

  it('reads what Ollama has allocated, and what the model can', async () => {
    expect(
      await ask({
        'GET /api/ps': { models: [{ name: 'm:latest', model: 'm:latest', context_length: 4_096 }] },
        'POST /api/show': {
          capabilities: ['completion', 'tools'],
          model_info: { 'llama.context_length': 131_072 },
          parameters: 'stop "<|eot|>"\nnum_ctx 32768',
        },
      }),
    ).toEqual({ windowTokens: 4_096, hasTools: true, hasImages: false, source: 'Ollama' });
  });

  it('does not take what Ollama’s model was trained for as its window', async () => {
    const show = {
      capabilities: ['completion'],
      model_info: { 'llama.context_length': 131_072 },
      parameters: '',
    };
    expect(await ask({ 'POST /api/show': show })).toEqual({
      hasTools: false,
      hasImages: false,
      source: 'Ollama',
    });
  });

  it.each([
    ['vLLM', { id: 'm', max_model_len: 8_192 }, { windowTokens: 8_192 }],
    [
      'Groq',
      { id: 'm', context_window: 131_072, max_completion_tokens: 32_768 },
      { windowTokens: 131_072, maxOutputTokens: 32_768 },
    ],
    ['Mistral', { id: 'm', max_context_length: 32_768 }, { windowTokens: 32_768 }],
    [
      'Anthropic',
      { id: 'm', max_input_tokens: 200_000, max_tokens: 64_000 },
      { maxInputTokens: 200_000, maxOutputTokens: 64_000 },
    ],
    [
      'OpenRouter',
      {
        id: 'm',
        context_length: 1_000_000,
        top_provider: { context_length: 200_000, max_completion_tokens: 64_000 },
        supported_parameters: ['max_tokens', 'tools'],
        architecture: { input_modalities: ['text', 'image'] },
      },
      { windowTokens: 200_000, maxOutputTokens: 64_000, hasTools: true, hasImages: true },
    ],
  ])('reads the list of models of %s', async (_, entry, expected) => {
    const data = [{ id: 'other', context_length: 1 }, entry];
    expect(await ask({ 'GET /v1/models': { data } })).toEqual({ ...expected, source: 'models list' });
  });

  it('reads TGI', async () => {
    const info = { model_id: 'm', max_input_tokens: 4_095, max_total_tokens: 4_096 };
    expect(await ask({ 'GET /info': info })).toEqual({
      windowTokens: 4_096,
      maxInputTokens: 4_095,
      source: 'TGI',
    });
  });

  it('says nothing where nobody does', async () => {
    expect(await ask({})).toBeUndefined();
    expect(await ask({ 'GET /props': '<html>' })).toBeUndefined();
    expect(
      await ask({ 'GET /v1/models': { data: [{ id: 'a' }, { id: 'b', context_length: 5 }] } }),
    ).toBeUndefined();
    expect(
      await ask({ 'GET /v1/models': { data: [null, { id: 'm', context_length: '9' }] } }),
    ).toBeUndefined();
    expect(await discoverLimits({ baseUrl: 'no address', model: 'm' })).toBeUndefined();
  });

  it('sends the headers that the server wants', async () => {
    const seen: Request[] = [];
    const endpoint = {
      baseUrl: 'http://local:1/v1',
      model: 'm',
      headers: { Authorization: 'Basic abc' },
      apiKey: 'k',
    };
    await discoverLimits(endpoint, server({}, seen));
    expect(new Set(seen.map(({ headers }) => headers.get('authorization')))).toEqual(new Set(['Basic abc']));
  });

  it('sends the key to the address it is for, and to no other', async () => {
    const seen: Request[] = [];
    const endpoint = { baseUrl: 'http://local:1/api/v1/', model: 'm', apiKey: 'sk-secret' };
    await discoverLimits(endpoint, server({}, seen));
    expect(new Set(seen.map(({ url }) => new URL(url).host))).toEqual(new Set(['local:1']));
    expect(seen.map(({ url }) => new URL(url).pathname)).toContain('/api/v1/models');
    expect(seen.map(({ url }) => new URL(url).pathname)).toContain('/props');
    expect(seen.every(({ redirect }) => redirect === 'error')).toBe(true);
    expect(seen.every(({ headers }) => headers.get('authorization') === 'Bearer sk-secret')).toBe(true);
  });
});
