import { describe, expect, it } from 'vitest';
import { filterEnvironment } from './filter-environment.ts';

const secrets = {
  OPENAI_API_KEY: '1',
  github_token: '2',
  MYSQL_PWD: '3',
  DB_PASS: '4',
  SSH_AUTH_SOCK: '5',
  SENTRY_DSN: '6',
  DATABASE_URL: 'postgres://user:pass@host/db',
  BASH_ENV: '/tmp/start',
};
const plain = {
  PATH: '/bin',
  HOME: '/root',
  PWD: '/x',
  OLDPWD: '/y',
  PROXY: 'http://proxy:8080',
  EMAIL: 'a@b.c',
};

describe('filterEnvironment', () => {
  it('keeps what is no secret and drops what looks like one, unless it is allowed', () => {
    expect(filterEnvironment({ ...secrets, ...plain, GONE: undefined })).toEqual({
      ...plain,
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
    });
    expect(filterEnvironment(secrets, ['DB_PASS', 'DATABASE_URL'])).toMatchObject({
      DB_PASS: '4',
      DATABASE_URL: secrets.DATABASE_URL,
    });
  });
});
