/**
 * What the page costs, in Chromium without a window: its first load, typing and scrolling in a long session while an
 * answer streams, opening a very long one, and the inspector over a recorded file.
 *
 *   npm run bench:web -- [--messages 10000] [--long 100000] [--json]
 */
import { parseArgs } from 'node:util';
import { formatNumber, formatTable } from './table.ts';
import { measureBusy, measureInspector, measureLoad, measureOpen, openChromium } from './web/measure-page.ts';
import { openBenchSite } from './web/open-bench-site.ts';
import { writeReport } from './report-file.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000' },
    long: { type: 'string', default: '100000' },
    json: { type: 'boolean', default: false },
  },
});

await using site = await openBenchSite();
const browser = await openChromium();
const short = await site.seed(20);
const busy = await site.seed(Number(values.messages));
const long = await site.seed(Number(values.long));
const figures = {
  load: await measureLoad(browser, site, short, 5),
  busy: await measureBusy(browser, site, busy),
  longOpenMs: await measureOpen(browser, site, long, `Answer ${Number(values.long) - 1}.`),
  inspector: await measureInspector(browser, site, recording(3_000, 1_600)),
};
await browser.close();
const path = writeReport('web', figures);
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : `${table()}\n\nReport: ${path}\n`);

/** A recorded conversation of so many messages with so many characters each: 3 000 by 1 600 are 5 MB. */
function recording(messages: number, characters: number): { name: string; mimeType: string; buffer: Buffer } {
  const text = 'It reads src/part.ts, finds what is wrong in line 12 and says so. ';
  const all = Array.from({ length: messages }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${at}. ${text.repeat(Math.ceil(characters / text.length))}`,
  }));
  const buffer = Buffer.from(JSON.stringify({ model: 'gpt-5', messages: all }));
  return { name: 'recording.json', mimeType: 'application/json', buffer };
}

function table(): string {
  const { load, busy: typed, longOpenMs, inspector } = figures;
  const rows: readonly (readonly [string, number, number])[] = [
    ['script of the first load, kB gzipped', load.scriptKilobytes, 170],
    ['until one can type, ms', load.interactiveMs, 1_000],
    ['key until it is seen, p95 ms', typed.keyP95Ms, 30],
    ['worst frame in 6 s of scrolling, ms', typed.worstFrameMs, 100],
    ['heap, MB', typed.heapMegabytes, 150],
    [`opening ${values.long} messages, ms`, longOpenMs, 1_000],
    ['step of the inspector, p95 ms', inspector.stepP95Ms, 100],
    ['opening a recorded file of 5 MB, ms', inspector.openMs, 3_000],
  ];
  return formatTable(
    ['what', 'measured', 'goal', 'reached'],
    rows.map(([what, value, most]) => [
      what,
      formatNumber(value, 1),
      `≤ ${most}`,
      value <= most ? 'yes' : 'NO',
    ]),
  );
}
