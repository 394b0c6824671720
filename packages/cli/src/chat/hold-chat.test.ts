import { expect, it } from 'vitest';
import { resumeHint } from './hold-chat.ts';

const named = (provider: string, model: string) => ({ provider, name: `${provider}:${model}` });
const tiny = named('openai-compatible', 'tiny');
const baseUrl = 'http://localhost:8080/v1';

it('goes on with the same model in the same place', () => {
  const same = { start: tiny, now: tiny, baseUrl };
  expect(resumeHint('session_1', {}, same)).toBe('throughline chat --session session_1');
  expect(resumeHint('session_1', { model: 'tiny', baseUrl, workspace: "Ada's work" }, same)).toBe(
    `throughline chat --session session_1 --model tiny --base-url ${baseUrl} --workspace 'Ada'\\''s work'`,
  );
});

it('names the model that is in use, not the one of the start', () => {
  const place = { model: 'tiny', baseUrl };
  const hint = (now: typeof tiny) => resumeHint('s', place, { start: tiny, now, baseUrl });
  expect(hint(named('openai-compatible', 'other'))).toBe(
    `throughline chat --session s --model openai-compatible:other --base-url ${baseUrl}`,
  );
  expect(hint(named('anthropic', 'claude'))).toBe('throughline chat --session s --model anthropic:claude');
  expect(hint(named('demo', 'scripted'))).toBe('throughline chat --session s --model demo');
});
