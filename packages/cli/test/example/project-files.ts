/** A made-up parcel tracker: the files that the example session reads. All of it is derived, nothing is random. */

interface Carrier {
  readonly name: string;
  readonly title: string;
  readonly zone: string;
  readonly codes: readonly (readonly [string, string, string])[];
}

const stages = [
  ['ACCEPTED', 'accepted', 'The parcel was handed in at a counter.'],
  ['DEPOT-IN', 'in-transit', 'It arrived at a sorting centre.'],
  ['DEPOT-OUT', 'in-transit', 'It left a sorting centre.'],
  ['CUSTOMS', 'held', 'Customs want to see papers.'],
  ['ON-VAN', 'out-for-delivery', 'It is on the vehicle that delivers it.'],
  ['ATTEMPT', 'failed-attempt', 'Nobody was there to take it.'],
  ['SHOP', 'ready-for-pickup', 'It waits in a shop.'],
  ['DONE', 'delivered', 'Somebody took it.'],
  ['BACK', 'returned', 'It is on the way back to the sender.'],
] as const;

function carrier(name: string, title: string, zone: string, prefix: string): Carrier {
  return {
    name,
    title,
    zone,
    codes: stages.map(([code, status, note], index) => [
      `${prefix}${(index + 1) * 10}-${code}`,
      status,
      note,
    ]),
  };
}

export const carriers: readonly Carrier[] = [
  carrier('northpost', 'Northpost', 'Europe/Oslo', 'NP'),
  carrier('swiftlane', 'Swiftlane', 'Asia/Tokyo', 'SL'),
  carrier('harborline', 'Harbor Line', 'Europe/Lisbon', 'HL'),
  carrier('ridgeway', 'Ridgeway Parcel', 'America/Denver', 'RW'),
];

export function carrierFile({ name, title, zone, codes }: Carrier): string {
  const type = title.replaceAll(' ', '');
  const rows = codes.map(([code, status, note]) => `  // ${note}\n  '${code}': '${status}',`).join('\n');
  return `import { parseEventTime } from '../tracking/event-time.ts';
import type { CarrierAdapter, RawEvent, TrackingEvent } from './carrier.ts';

/** Endpoint of the ${title} tracking service, version 3. */
export const ${name}Endpoint = 'https://api.${name}.example/tracking/v3';

/** The zone in which ${title} writes its times: they carry no offset of their own. */
export const ${name}Zone = '${zone}';

const statusOf: Readonly<Record<string, TrackingEvent['status']>> = {
${rows}
};

interface ${type}Reply {
  readonly shipment: { readonly number: string; readonly service: string };
  readonly scans: readonly { readonly code: string; readonly at: string; readonly place?: string }[];
}

/** Reads what ${title} knows of a parcel. Unknown codes become \`unknown\` and are kept with their text. */
export const ${name}: CarrierAdapter = {
  name: '${name}',
  matches: (number) => /^${codes[0]?.[0].slice(0, 2) ?? ''}\\d{10}$/.test(number),
  async fetchEvents(number, { fetch, apiKey }) {
    const reply = await fetch(\`\${${name}Endpoint}/shipments/\${number}\`, {
      headers: { authorization: \`Bearer \${apiKey}\` },
    });
    if (reply.status === 404) return [];
    if (!reply.ok) throw new Error(\`${title} answered with \${reply.status}\`);
    return toEvents((await reply.json()) as ${type}Reply);
  },
};

function toEvents({ shipment, scans }: ${type}Reply): TrackingEvent[] {
  return scans.map((scan) => toEvent(shipment.number, { code: scan.code, at: scan.at, place: scan.place ?? '' }));
}

function toEvent(number: string, raw: RawEvent): TrackingEvent {
  return {
    carrier: '${name}',
    number,
    status: statusOf[raw.code] ?? 'unknown',
    at: parseEventTime(raw.at, ${name}Zone),
    place: raw.place,
    raw,
  };
}
`;
}

export const eventTimeFile = `/** Times of carriers, as instants. */

const pattern = /^(\\d{4})-(\\d\\d)-(\\d\\d)[T ](\\d\\d):(\\d\\d)(?::(\\d\\d))?(Z|[+-]\\d\\d:\\d\\d)?$/;

/**
 * The instant that a carrier's time stands for. Times without an offset are local to \`zone\`.
 *
 * @throws {RangeError} when the text is no time.
 */
export function parseEventTime(text: string, zone: string): Date {
  const match = pattern.exec(text.trim());
  if (!match) throw new RangeError(\`Expected a time, got "\${text}".\`);
  const [, year, month, day, hour, minute, second = '0', offset] = match;
  const utcMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  if (offset === 'Z') return new Date(utcMs);
  if (offset !== undefined) return new Date(utcMs - offsetMs(offset));
  return new Date(utcMs);
}

function offsetMs(offset: string): number {
  const sign = offset.startsWith('-') ? -1 : 1;
  const [hours = '0', minutes = '0'] = offset.slice(1).split(':');
  return sign * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Used by the day view: the calendar day of an instant where the parcel is. */
export function localDay(at: Date, zone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(at);
}
`;

export const timelineFile = `import { localDay } from './event-time.ts';
import type { TrackingEvent } from '../carriers/carrier.ts';

/** Order in which states can follow each other; a later scan of an earlier state does not move a parcel back. */
const rank: Readonly<Record<TrackingEvent['status'], number>> = {
  unknown: 0,
  accepted: 1,
  'in-transit': 2,
  held: 2,
  'out-for-delivery': 3,
  'failed-attempt': 3,
  'ready-for-pickup': 4,
  delivered: 5,
  returned: 5,
};

export interface Timeline {
  readonly number: string;
  readonly current: TrackingEvent | undefined;
  readonly days: readonly TimelineDay[];
}

export interface TimelineDay {
  readonly day: string;
  readonly events: readonly TrackingEvent[];
}

/** Events of one parcel by day, oldest first, with the state it is in now. */
export function buildTimeline(number: string, events: readonly TrackingEvent[], zone: string): Timeline {
  const sorted = events.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const days = new Map<string, TrackingEvent[]>();
  for (const event of withoutDoubles(sorted)) {
    const day = localDay(event.at, zone);
    const known = days.get(day);
    if (known) known.push(event);
    else days.set(day, [event]);
  }
  return {
    number,
    current: currentOf(sorted),
    days: [...days].map(([day, ofDay]) => ({ day, events: ofDay })),
  };
}

function withoutDoubles(events: readonly TrackingEvent[]): TrackingEvent[] {
  const seen = new Set<string>();
  return events.filter((event) => {
    const key = \`\${event.carrier} \${event.status} \${event.at.toISOString()} \${event.place}\`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function currentOf(events: readonly TrackingEvent[]): TrackingEvent | undefined {
  let current: TrackingEvent | undefined;
  for (const event of events) {
    if (!current || rank[event.status] >= rank[current.status]) current = event;
  }
  return current;
}
`;

export const webhookFile = `import { createHmac } from 'node:crypto';
import type { Timeline } from '../tracking/timeline.ts';

export interface WebhookTarget {
  readonly url: string;
  readonly secret: string;
}

export interface WebhookOptions {
  readonly fetch: typeof globalThis.fetch;
  /** @default 5 000 */
  readonly timeoutMs?: number;
}

/** Tells a shop that a parcel has a new state. Resolves to whether the shop took it. */
export async function deliverWebhook(
  target: WebhookTarget,
  timeline: Timeline,
  { fetch, timeoutMs = 5_000 }: WebhookOptions,
): Promise<boolean> {
  const body = JSON.stringify({ number: timeline.number, status: timeline.current?.status, at: timeline.current?.at });
  const signature = createHmac('sha256', target.secret).update(body).digest('hex');
  const reply = await fetch(target.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-parcel-signature': signature },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return reply.ok;
}
`;

export const routesFile = `import { buildTimeline } from '../tracking/timeline.ts';
import { carriers } from '../carriers/index.ts';
import { deliverWebhook } from '../webhooks/deliver-webhook.ts';
import type { App } from './app.ts';

export function addTrackingRoutes(app: App): void {
  app.get('/parcels/:number', async (request, reply) => {
    const carrier = carriers.find(({ matches }) => matches(request.params.number));
    if (!carrier) return reply.status(404).send({ error: 'no carrier knows this number' });
    const events = await carrier.fetchEvents(request.params.number, app.http);
    return buildTimeline(request.params.number, events, request.query.zone ?? 'UTC');
  });

  app.post('/parcels/:number/refresh', async (request, reply) => {
    const before = await app.store.timeline(request.params.number);
    const events = await app.ingest(request.params.number);
    const after = buildTimeline(request.params.number, events, before?.zone ?? 'UTC');
    await app.store.save(after);
    if (before?.current?.status !== after.current?.status) {
      for (const target of await app.store.targets(after.number)) await deliverWebhook(target, after, app.http);
    }
    return reply.status(202).send({ number: after.number, status: after.current?.status ?? 'unknown' });
  });
}
`;

const places = [
  'Osaka hub',
  'Nagoya depot',
  'Lisbon port',
  'Oslo sorting',
  'Denver gate',
  'Kobe counter',
  'Porto shop',
];

/** An afternoon of the ingest log. */
export function ingestLog(lines: number, from: number): string {
  return Array.from({ length: lines }, (_, index) => {
    const line = from + index;
    const { name, codes } = carriers[line % carriers.length] ?? (carriers[0] as Carrier);
    const [code, status] = codes[(line * 7) % codes.length] ?? ['', ''];
    const number = `${code.slice(0, 2)}${String(4_100_000_000 + ((line * 7_919) % 900_000_000)).padStart(10, '0')}`;
    const minute = String((line * 3) % 60).padStart(2, '0');
    const hour = String(13 + Math.floor((line * 3) / 60)).padStart(2, '0');
    const place = places[(line * 5) % places.length] ?? '';
    return `2026-03-02T${hour}:${minute}:${String((line * 17) % 60).padStart(2, '0')}.${String((line * 131) % 1_000).padStart(3, '0')}Z info ingest carrier=${name} parcel=${number} code=${code} status=${status} place="${place}" took=${40 + ((line * 13) % 180)}ms`;
  }).join('\n');
}

const suites = [
  ['test/carriers/northpost.test.ts', 9],
  ['test/carriers/swiftlane.test.ts', 11],
  ['test/carriers/harborline.test.ts', 9],
  ['test/carriers/ridgeway.test.ts', 8],
  ['test/tracking/event-time.test.ts', 12],
  ['test/tracking/timeline.test.ts', 14],
  ['test/webhooks/deliver-webhook.test.ts', 6],
  ['test/server/tracking-routes.test.ts', 10],
] as const;

const behaviours = [
  'reads a reply with one scan',
  'keeps scans in the order of the carrier',
  'maps every documented code',
  'calls an unknown code unknown and keeps its text',
  'gives no events for a number nobody knows',
  'rejects when the service answers with 500',
  'takes an offset where there is one',
  'takes times without an offset as local',
  'leaves out a scan that came twice',
  'groups events by the day of the given zone',
  'does not move a parcel back',
  'signs the body',
  'stops after the time limit',
  'answers 404 for a number without a carrier',
];

/** What the test runner prints. \`failing\` names the file and the test that fail. */
export function testOutput(failing?: {
  readonly file: string;
  readonly test: string;
  readonly detail: string;
}): string {
  const blocks = suites.map(([file, count], suite) => {
    const tests = Array.from({ length: count }, (_, index) => {
      const name = behaviours[(index + suite) % behaviours.length] ?? '';
      const isFailing = failing?.file === file && failing.test === name;
      return `   ${isFailing ? '×' : '✓'} ${file.replace(/^test\/|\.test\.ts$/g, '')} > ${name} ${1 + ((index * 7 + suite) % 23)}ms`;
    });
    return [
      ` ${failing?.file === file ? '❯' : '✓'} ${file} (${count} tests) ${20 + suite * 9}ms`,
      ...tests,
    ].join('\n');
  });
  const total = suites.reduce((sum, [, count]) => sum + count, 0);
  const verdict = failing
    ? `\n FAIL  ${failing.file} > ${failing.test}\n${failing.detail}\n\n Test Files  1 failed | ${suites.length - 1} passed (${suites.length})\n      Tests  1 failed | ${total - 1} passed (${total})`
    : `\n Test Files  ${suites.length} passed (${suites.length})\n      Tests  ${total} passed (${total})`;
  return `> parcel-tracker@2.8.1 test\n> vitest run --reporter=verbose\n\n${blocks.join('\n')}\n${verdict}\n   Duration  2.41s`;
}
