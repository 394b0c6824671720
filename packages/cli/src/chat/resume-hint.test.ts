import { expect, it } from 'vitest';
import { resumeHint } from './resume-hint.ts';

it('goes on with the same model in the same place', () => {
  const baseUrl = 'http://localhost:8080/v1';
  expect(resumeHint('session_1', {})).toBe('throughline chat --session session_1');
  expect(resumeHint('session_1', { model: 'tiny', baseUrl, workspace: "Ada's work" })).toBe(
    `throughline chat --session session_1 --model tiny --base-url ${baseUrl} --workspace 'Ada'\\''s work'`,
  );
});
