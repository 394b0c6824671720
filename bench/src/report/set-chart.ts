import type { ContenderRow } from './contender-row.ts';
import type { SetReport } from './replay-report.ts';

/** One contender's points, one for each B, smallest first. */
interface Line {
  readonly name: string;
  readonly kind: string;
  readonly points: readonly { readonly budgetTokens: number; readonly row: ContenderRow }[];
}

interface Axis {
  readonly title: string;
  readonly value: (row: ContenderRow) => number;
  readonly format: (value: number) => string;
}

interface Panel {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
}

interface Place {
  readonly left: number;
  readonly top: number;
}

const size = { width: 470, height: 400 };
const margin = { left: 64, top: 64, between: 90, legend: 300, bottom: 70 };
const peerColours = [
  '#b45309',
  '#15803d',
  '#7c3aed',
  '#be185d',
  '#0e7490',
  '#a16207',
  '#4d7c0f',
  '#9333ea',
  '#c2410c',
  '#0f766e',
  '#9f1239',
  '#6d28d9',
  '#854d0e',
];
const ourColours = ['#1d4ed8', '#2563eb', '#3b82f6', '#60a5fa', '#1e40af', '#0284c7', '#38bdf8', '#1e3a8a'];
const baseColours = ['#111827', '#4b5563', '#9ca3af'];

const highestCost = 2;

const far: Axis = {
  title: 'far uses still named (FUR-far)',
  value: ({ figures }) => figures.recall.far.hit,
  format: (value) => value.toFixed(1),
};

const panels: readonly Panel[] = [
  {
    title: 'Recall against mean tokens sent',
    x: {
      title: 'mean tokens sent',
      value: ({ figures }) => figures.meanTokens,
      format: (value) => `${Math.round(value / 1_000)}k`,
    },
    y: far,
  },
  {
    title: 'Cost against recall',
    x: far,
    y: {
      title: `cost with a prompt cache, relative to no management (above ${highestCost}: drawn there)`,
      value: ({ figures }) => Math.min(figures.cost.anthropic.inside, highestCost),
      format: (value) => value.toFixed(1),
    },
  },
];

/** The chart of one set as SVG: recall against mean tokens and cost against recall, one line for each contender over B. */
export function setChart(set: string, reports: readonly SetReport[]): string {
  const lines = linesOf(reports);
  const colours = coloursOf(lines);
  const width = margin.left + panels.length * (size.width + margin.between) + margin.legend;
  const height = Math.max(margin.top + size.height + margin.bottom, margin.top + lines.length * 18 + 30);
  const drawn = panels.map((panel, index) =>
    drawPanel(panel, lines, colours, {
      left: margin.left + index * (size.width + margin.between),
      top: margin.top,
    }),
  );
  const budgets = reports.map(({ budgetTokens }) => `${budgetTokens / 1_000}k`).join(', ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(
      { x: margin.left, y: 28, size: 16, weight: 600 },
      `Replay of ${set} sessions, B = ${budgets} (larger dots: larger B)`,
    ),
    ...drawn,
    ...legend(lines, colours, width - margin.legend + 10),
    '</svg>',
    '',
  ].join('\n');
}

function linesOf(reports: readonly SetReport[]): Line[] {
  const byName = new Map<string, { kind: string; points: Line['points'][number][] }>();
  for (const { budgetTokens, rows } of reports.toSorted((a, b) => a.budgetTokens - b.budgetTokens)) {
    for (const row of rows) {
      const line = byName.get(row.contender) ?? { kind: row.kind, points: [] };
      line.points.push({ budgetTokens, row });
      byName.set(row.contender, line);
    }
  }
  return [...byName].map(([name, line]) => ({ name, ...line }));
}

function coloursOf(lines: readonly Line[]): ReadonlyMap<string, string> {
  const palettes: Readonly<Record<string, readonly string[]>> = { ours: ourColours, peer: peerColours };
  const counts = new Map<string, number>();
  return new Map(
    lines.map(({ name, kind }) => {
      const palette = palettes[kind] ?? baseColours;
      const index = counts.get(kind) ?? 0;
      counts.set(kind, index + 1);
      return [name, palette[index % palette.length] ?? '#000000'];
    }),
  );
}

function drawPanel(
  panel: Panel,
  lines: readonly Line[],
  colours: ReadonlyMap<string, string>,
  { left, top }: Place,
): string {
  const rows = lines.flatMap(({ points }) => points.map(({ row }) => row));
  const x = scaleOf(rows.map(panel.x.value), left, left + size.width);
  const y = scaleOf(rows.map(panel.y.value), top + size.height, top);
  const grid = [
    ...x.ticks.map((tick) => {
      const at = x.at(tick);
      return `<line x1="${at}" y1="${top}" x2="${at}" y2="${top + size.height}" stroke="#e5e7eb"/>${text({ x: at, y: top + size.height + 18, anchor: 'middle' }, panel.x.format(tick))}`;
    }),
    ...y.ticks.map((tick) => {
      const at = y.at(tick);
      return `<line x1="${left}" y1="${at}" x2="${left + size.width}" y2="${at}" stroke="#e5e7eb"/>${text({ x: left - 8, y: at + 4, anchor: 'end' }, panel.y.format(tick))}`;
    }),
  ];
  // Ours last, so that it lies on top.
  const ordered = lines.toSorted((a, b) => Number(a.kind === 'ours') - Number(b.kind === 'ours'));
  return [
    ...grid,
    text({ x: left, y: top - 12, weight: 600 }, panel.title),
    text({ x: left + size.width / 2, y: top + size.height + 40, anchor: 'middle' }, panel.x.title),
    `<text transform="translate(${left - 42} ${top + size.height / 2}) rotate(-90)" text-anchor="middle" fill="#374151">${escaped(panel.y.title)}</text>`,
    ...ordered.map((line) =>
      drawLine(
        { line, number: lines.indexOf(line) + 1, colour: colours.get(line.name) ?? '#000000' },
        (row) => [x.at(panel.x.value(row)), y.at(panel.y.value(row))],
      ),
    ),
  ].join('\n');
}

interface Drawn {
  readonly line: Line;
  /** Its place in the legend, counted from 1. */
  readonly number: number;
  readonly colour: string;
}

function drawLine(
  { line: { name, kind, points }, number, colour }: Drawn,
  place: (row: ContenderRow) => readonly [x: number, y: number],
): string {
  const places = points
    .map(({ row }) => place(row))
    .filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
  const path = places.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  const dots = places.map(([x, y], index) => {
    const shape = `cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${3 + index * 1.3}"`;
    return `<circle ${shape} fill="${colour}" fill-opacity="0.85"/>`;
  });
  // Ours lie close together: one number each would hide the dots.
  const [x, y] = places.at(-1) ?? [Number.NaN, Number.NaN];
  const mark =
    kind === 'ours' || places.length === 0 ? '' : text({ x: x + 7, y: y - 5, size: 10 }, `${number}`);
  const stroke = kind === 'ours' ? 2.2 : 1;
  return `<g><title>${escaped(name)}</title><polyline points="${path}" fill="none" stroke="${colour}" stroke-width="${stroke}" stroke-opacity="0.6"/>${dots.join('')}${mark}</g>`;
}

function legend(lines: readonly Line[], colours: ReadonlyMap<string, string>, left: number): string[] {
  return lines.map(({ name }, index) => {
    const y = margin.top + index * 18;
    return `<circle cx="${left}" cy="${y}" r="5" fill="${colours.get(name) ?? ''}"/>${text({ x: left + 12, y: y + 4 }, `${index + 1}  ${name}`)}`;
  });
}

interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly anchor?: 'middle' | 'end';
  readonly size?: number;
  readonly weight?: number;
}

function text({ x, y, anchor, size: fontSize, weight }: TextPlace, content: string): string {
  const more = [
    anchor ? ` text-anchor="${anchor}"` : '',
    fontSize ? ` font-size="${fontSize}"` : '',
    weight ? ` font-weight="${weight}"` : '',
  ].join('');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="#374151"${more}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** From 0 to a round number above the largest value. */
function scaleOf(values: readonly number[], start: number, end: number): Scale {
  const largest = Math.max(...values.filter(Number.isFinite), 0) || 1;
  const power = 10 ** Math.floor(Math.log10(largest / 4));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => largest / one <= 6) ?? power;
  const top = Math.ceil(largest / step - 1e-9) * step;
  return {
    ticks: Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step),
    at: (value) => start + ((end - start) * value) / top,
  };
}
