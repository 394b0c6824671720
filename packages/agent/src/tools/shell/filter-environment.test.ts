import { describe, expect, it } from 'vitest';
import { filterEnvironment } from './filter-environment.ts';

const secrets = {
  OPENAI_API_KEY: '1',
  github_token: '2',
  SSH_AUTH_SOCK: '5',
  DATABASE_URL: 'postgres://user:pass@host/db',
  BASH_ENV: '/tmp/start',
  STRIPE_SK: 'sk_live_1',
  JWT: 'eyJ',
  BEARER: 'b',
  SIGNING_MATERIAL: 's',
  SLACK_WEBHOOK: 'https://hooks.example/services/T/B/x',
  HF: 'hf_1',
  LD_PRELOAD: '/tmp/x.so',
  'BASH_FUNC_ls%%': '() { :; }',
  LC_: 'x',
  PYTHONPATH: 'https://u:p@host/',
};
const plain = {
  PATH: '/bin',
  HOME: '/root',
  USER: 'me',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  LC_ALL: 'C',
  TZ: 'UTC',
  TMPDIR: '/var/tmp',
  PWD: '/x',
};

describe('filterEnvironment', () => {
  it('passes what is known to be harmless, and nothing else', () => {
    expect(filterEnvironment({ ...secrets, ...plain, GONE: undefined })).toEqual({
      ...plain,
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
    });
  });

  it('passes what is allowed by name, but no file that a shell runs first', () => {
    const passed = filterEnvironment(secrets, ['JWT', 'DATABASE_URL', 'BASH_ENV']);
    expect(passed).toMatchObject({ JWT: 'eyJ', DATABASE_URL: secrets.DATABASE_URL });
    expect(passed).not.toHaveProperty('BASH_ENV');
  });
});
