import { expect, it } from 'vitest';
import { askerOf } from '../packages/server/test/api-client.ts';
import { formatNames } from '../packages/importers/src/index.ts';
import { openServer } from '../packages/server/test/open-server.ts';
import { samples } from '../packages/importers/test/samples.ts';
import type { Answer, Ask } from '../packages/server/test/api-client.ts';

function importText(ask: Ask, body: string): Promise<Answer> {
  const headers = { 'content-type': 'application/x-ndjson' };
  return ask('POST', '/api/sessions/import', { body, headers });
}

const elsewhere = samples.filter(({ format }) => format !== 'throughline');

it('every format that recordings can have is tried over HTTP', () => {
  expect(new Set(samples.map(({ format }) => format))).toEqual(new Set(formatNames));
});

it.each(elsewhere.map((sample) => [`${sample.format}, ${sample.name}`, sample] as const))(
  'a recording becomes a session that is looked into and gone on with: %s',
  async (_, { format, text }) => {
    await using opened = await openServer();
    const ask = askerOf(opened.url);
    const imported = await importText(ask, text);
    expect([imported.status, imported.body.format, imported.body.status]).toEqual([201, format, 'idle']);
    const { id } = imported.body;
    const { items } = (await ask('GET', `/api/sessions/${id}/messages`)).body;
    expect(items.length).toBeGreaterThan(0);
    expect(items.map(({ role }: { role: string }) => role)).not.toContain('system');
    const next = await ask('POST', '/api/message?wait=true', { body: { sessionId: id, content: 'help' } });
    expect(next.body).toMatchObject({ queued: false, outcome: { type: 'completed' } });
    const { text: exported } = await ask('GET', `/api/sessions/${id}/export`);
    expect((await importText(ask, exported)).body).toMatchObject({ format: 'throughline', notes: [] });
    expect(opened.faults).toEqual([]);
  },
);
