import { ContextError } from '@throughline/core';
import { strategyNames } from '@throughline/core/internal';
import { isDeepRun } from '@throughline/testkit';
import { existsSync, openAsBlob, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cacheAt } from '../../src/inspect/prefix-cache.ts';
import { fatesAt } from '../../src/inspect/fates.ts';
import { floorOf } from '../../src/inspect/floor.ts';
import { forecast } from '../../src/inspect/forecast.ts';
import { fromFile, readFile } from '../../src/inspect/source/from-file.ts';
import { requestAt } from '../../src/inspect/request-at.ts';
import { whatIf } from '../../src/inspect/compare/what-if.ts';

const folder = process.env['THROUGHLINE_SESSIONS'] ?? join(import.meta.dirname, '../../../../../shared/data');

function recordings(directory: string): string[] {
  return readdirSync(directory)
    .sort()
    .flatMap((name) => {
      const path = join(directory, name);
      if (statSync(path).isDirectory()) return recordings(path);
      return /\.(jsonl?|traj)$/.test(name) ? [path] : [];
    });
}

const isPresent = existsSync(folder);
// A default run looks at every third one.
const paths = (isPresent ? recordings(folder) : []).filter((_, index) => isDeepRun || index % 3 === 0);
// It tries a third of the strategies on each recording, another third on the next one.
const strategiesFor = (place: number): readonly string[] =>
  strategyNames.filter((_, index) => isDeepRun || (index + place) % 3 === 0);
const absence = isPresent ? '' : ` (skipped: no folder ${folder})`;

describe.skipIf(!isPresent)(`recorded sessions, dropped on the page${absence}`, () => {
  let looked = 0;

  afterAll(() => {
    expect(looked, 'steps that were looked at').toBeGreaterThan(0);
  });

  const named = paths.map((path, place) => [relative(folder, path), place] as const);
  it.each(named)('shows %s, step by step', async (name, place) => {
    const blob = await openAsBlob(join(folder, name));
    const recording = await readFile(blob, name).catch((error: unknown) => {
      if (ContextError.is(error, 'unreadable-file')) return undefined;
      throw error;
    });
    for (const index of recording?.sessions.keys() ?? []) {
      if (recording?.sessions[index]?.messages.length === 0) continue;
      const inspected = fromFile(recording as NonNullable<typeof recording>, index);
      const { length } = inspected.transcript.conversation.entries;
      for (const [step, { historyLength }] of inspected.steps.entries()) {
        if (!isDeepRun && step % 6 > 0) continue;
        looked += 1;
        expect(requestAt(inspected, step).items).toHaveLength(historyLength);
        expect(fatesAt(inspected, step)).toHaveLength(length);
        // Nothing was changed in it: what breaks a prefix is a result that came late, a pause, another model.
        expect(['changes', 'undone']).not.toContain(cacheAt(inspected, step).cause?.type);
      }
      const { parts, tokens } = floorOf(inspected);
      expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(tokens);
      expect(forecast(inspected).currentTokens).toBeGreaterThan(0);
      for (const { state, tokensBefore, tokensAfter } of whatIf(inspected, 'next', strategiesFor(place)))
        if (state === 'compacted') expect(tokensAfter).toBeLessThan(tokensBefore);
    }
  });
});
