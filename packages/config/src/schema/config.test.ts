import { expect, it } from 'vitest';
import { parseConfig } from '../parse-config.ts';
import { toolConfigOf } from './config.ts';

it('takes key by key what is said of the tool, else what is said of all', () => {
  const text =
    'tools: { default: { maxLines: 5, approval: deny }, read: { maxLines: 7 }, bash: { approval: ask } }';
  const result = parseConfig({ file: { path: '/a.yaml', text }, environment: {}, workingFolder: '/' });
  if (result.type === 'faults') throw new Error(JSON.stringify(result.faults));
  const { tools } = result.config;
  expect(toolConfigOf(tools, 'read')).toEqual({ maxLines: 7, approval: 'deny' });
  expect(toolConfigOf(tools, 'bash')).toEqual({ maxLines: 5, approval: 'ask' });
  expect(toolConfigOf(tools, 'toString')).toEqual({ maxLines: 5, approval: 'deny' });
  expect(toolConfigOf({}, 'bash')).toEqual({});
});
