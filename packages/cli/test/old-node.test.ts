import { describe, expect, it } from 'vitest';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';

const bin = fileURLToPath(new URL('../bin/throughline.cjs', import.meta.url));

/** The installed command, started by a Node that says it is of this version. */
function startedBy(version: string): { readonly status: number | null; readonly stderr: string } {
  const script = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
    require(${JSON.stringify(bin)});`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  return { status, stderr };
}

describe('the installed command', () => {
  it.each(['14.21.3', '18.20.8', '20.20.2', '22.23.3'])('says under Node %s what it needs', (version) => {
    expect(startedBy(version)).toEqual({
      status: 1,
      stderr: `throughline: this is Node ${version}, and the command line needs Node 24 or newer; get it from https://nodejs.org.\n`,
    });
  });

  it('is plain enough for an old Node to read', () => {
    const newer = /\?\?|\?\.|\|\|=|&&=|\bawait\b|\bclass\b|^import |^export |catch \{|node:/m;
    expect(readFileSync(bin, 'utf8')).not.toMatch(newer);
  });
});
