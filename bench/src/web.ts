/**
 * What the page costs, in Chromium without a window: its first load, typing and scrolling in a long session while an
 * answer streams, opening a very long one, and the inspector over a recorded file.
 *
 *   npm run bench:web -- [--messages 10000] [--long 100000] [--rounds 5] [--only load,busy,long,far,inspector] [--json]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeFileSync } from 'node:fs';
import { formatNumber, formatTable } from './table.ts';
import {
  measureBusy,
  measureFar,
  measureInspector,
  measureLoad,
  measureOpen,
  openBrowser,
} from './web/measure-page.ts';
import { openBenchSite } from './web/open-bench-site.ts';
import { writeReport } from './report-file.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000' },
    long: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

await using site = await openBenchSite();
const browser = await openBrowser();
const only = values.only?.split(',');
const figures = {
  load: await wanted('load', async () => measureLoad(browser, site, await site.seed(20), 5)),
  busy: await wanted('busy', async () =>
    measureBusy(browser, site, await site.seed(Number(values.messages))),
  ),
  long: await wanted('long', async () =>
    measureOpen(browser, site, await site.seed(Number(values.long)), `Answer ${Number(values.long) - 1}.`, 5),
  ),
  far: await wanted('far', async () =>
    measureFar(browser, site, await site.seed(Number(values.long)), 100, Number(values.rounds)),
  ),
  inspector: await wanted('inspector', () => measureInspector(browser, site, recording(3_000, 1_600), 3)),
};
await browser.close();
const path = writeReport('web', figures);
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : `${table()}\n\nReport: ${path}\n`);

async function wanted<Figures>(name: string, measure: () => Promise<Figures>): Promise<Figures | undefined> {
  return only === undefined || only.includes(name) ? await measure() : undefined;
}

/** A file with so many messages of so many characters each: 3 000 by 1 600 are 5 MB. */
function recording(messages: number, characters: number): string {
  const text = 'It reads src/part.ts, finds what is wrong in line 12 and says so. ';
  const all = Array.from({ length: messages }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${at}. ${text.repeat(Math.ceil(characters / text.length))}`,
  }));
  const file = join(site.folder, 'recording.json');
  writeFileSync(file, JSON.stringify({ model: 'gpt-5', messages: all }));
  return file;
}

function table(): string {
  const { load, busy, long, far, inspector } = figures;
  const rows: readonly (readonly [string, number | undefined, number])[] = [
    ['script of the first load, kB gzipped', load?.scriptKilobytes, 170],
    ['until one can type, ms', load?.interactiveMs, 1_000],
    ['key until it is seen, p95 ms', busy?.keyP95Ms, 30],
    ['worst frame in 6 s of scrolling, ms', busy?.worstFrameMs, 100],
    ['heap, MB', busy?.heapMegabytes, 150],
    [`opening ${values.long} messages, ms`, long, 1_000],
    [`to the 101st of ${values.long} messages, ms`, far?.farMs, 1_000],
    ['step of the inspector, p95 ms', inspector?.stepP95Ms, 100],
    ['opening a recorded file of 5 MB, ms', inspector?.openMs, 3_000],
  ];
  return formatTable(
    ['what', 'measured', 'goal', 'reached'],
    rows.flatMap(([what, value, most]) =>
      value === undefined ? [] : [[what, formatNumber(value, 1), `≤ ${most}`, value <= most ? 'yes' : 'NO']],
    ),
  );
}
