import { describe, expect, it } from 'vitest';
import { summaryBy } from './summary-by.ts';
import type { ModelRequest } from '@throughline/core';

const request: ModelRequest = {
  purpose: 'summary',
  system: 'Write the record.',
  messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }],
  maxOutputTokens: 100,
  temperature: 0.3,
};
const node = (script: string): string => `"${process.execPath}" -e "${script}"`;

describe('a summariser that is a command', () => {
  it('gets the request as JSON, and its output is the summary', async () => {
    const script =
      'let t=``;process.stdin.on(`data`,(d)=>t+=d).on(`end`,()=>console.log(JSON.parse(t).maxOutputTokens))';
    expect(await summaryBy(node(script.replaceAll('`', "'")))(request)).toBe('100');
  });

  it('may answer without reading', async () => {
    expect(await summaryBy('echo done')(request)).toBe('done');
  });

  it('is told to have failed where it ends with another code, or is none', async () => {
    await expect(summaryBy('exit 3')(request)).rejects.toThrow('ended with 3');
    await expect(summaryBy('no-such-summariser 2>/dev/null')(request)).rejects.toThrow('ended with 127');
  });
});
