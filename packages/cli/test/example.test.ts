import { describe, expect, it } from 'vitest';
import { examplePath, exampleSession } from './example/example-session.ts';
import { captureCli } from './support.ts';
import { demo } from '../src/commands/demo.ts';
import { readFileSync } from 'node:fs';
import type { Compaction } from '../src/compact/compaction.ts';
import type { Inspection } from '../src/inspect/inspection.ts';

describe('the bundled example', () => {
  it('is what its script writes; `node packages/cli/test/example/example-session.ts` writes it anew', () => {
    expect(JSON.parse(readFileSync(examplePath, 'utf8'))).toEqual(exampleSession());
  });

  it('has outgrown the window of the demo, and fits after the compaction', async () => {
    const cli = captureCli();
    expect(await demo({ json: true }, cli)).toBe(0);
    const { inspect, compact } = JSON.parse(cli.stdout()) as {
      inspect: { files: Inspection[] };
      compact: Compaction;
    };
    const [inspection] = inspect.files;
    expect(inspection!.tokens.total).toBeGreaterThan(25_000);
    expect(inspection!.percentOfUsable).toBeGreaterThan(100);
    expect(compact).toMatchObject({ outcome: 'compacted', task: 'verbatim', latestRequest: 'verbatim' });
    expect(compact.validity).toEqual({ repairs: [], violations: [] });
    expect(compact.percentOfUsable).toBeLessThan(60);
  });
});
