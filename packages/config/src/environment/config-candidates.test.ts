import { describe, expect, it } from 'vitest';
import { configCandidates } from './config-candidates.ts';

const workingFolder = '/home/me/here';
const paths = (search: Partial<Parameters<typeof configCandidates>[0]>): string[] =>
  configCandidates({ environment: {}, workingFolder, ...search }).map(({ path }) => path);

describe('the places of a configuration', () => {
  it('are those of the working folder, then that of the user', () => {
    expect(paths({ environment: { HOME: '/home/ada' } })).toEqual([
      '/home/me/here/throughline.yaml',
      '/home/me/here/throughline.yml',
      '/home/me/here/.throughline/config.yaml',
      '/home/ada/.config/throughline/config.yaml',
    ]);
    expect(paths({ environment: { HOME: '/home/ada', XDG_CONFIG_HOME: '/etc/ada' } }).at(-1)).toBe(
      '/etc/ada/throughline/config.yaml',
    );
    expect(paths({ environment: { XDG_CONFIG_HOME: 'relative' } })).toHaveLength(3);
  });

  it('are one, where somebody names it', () => {
    const environment = { THROUGHLINE_CONFIG: '../other.yaml' };
    expect(paths({ environment })).toEqual(['/home/me/other.yaml']);
    expect(paths({ environment: { THROUGHLINE_CONFIG: '' } })).toHaveLength(3);
    expect(configCandidates({ environment, workingFolder, option: 'a.yaml' })).toEqual([
      { path: '/home/me/here/a.yaml', reason: 'named', isRequired: true },
    ]);
  });
});
