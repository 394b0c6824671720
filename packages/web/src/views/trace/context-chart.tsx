import 'uplot/dist/uPlot.min.css';
import { formatCount, formatTime } from '../../parts/format.ts';
import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import type { ContextPoint } from './trace-figures.ts';

export interface ContextChartProps {
  readonly points: readonly ContextPoint[];
}

/** The context over time: what each step read, what of it came from the cache, and where it was compacted. */
export function ContextChart({ points }: ContextChartProps) {
  return (
    <section aria-label="The context over time" className="flex flex-col gap-2">
      <h2 className="font-semibold">The context over time</h2>
      <ul aria-hidden className="flex flex-wrap gap-x-4 text-xs text-ink-soft">
        <li>
          <span className="mr-1 inline-block h-0.5 w-4 bg-accent align-middle" />
          tokens of the request
        </li>
        <li>
          <span className="mr-1 inline-block h-2 w-4 bg-good/40 align-middle" />
          read from the cache
        </li>
        <li>
          <span className="mr-1 inline-block h-3 w-0.5 bg-warn align-middle" />
          compaction
        </li>
      </ul>
      <Plot points={points} />
      <details className="text-sm">
        <summary className="text-ink-soft">As a table</summary>
        <PointsTable points={points} />
      </details>
    </section>
  );
}

function sentenceOf(points: readonly ContextPoint[]): string {
  const sizes = points.flatMap(({ inputTokens }) => inputTokens ?? []);
  const compactions = points.reduce((sum, point) => sum + point.compactions, 0);
  return `Chart of ${points.length} steps: from ${formatCount(sizes[0] ?? 0)} to ${formatCount(sizes.at(-1) ?? 0)} tokens, at most ${formatCount(Math.max(0, ...sizes))}, ${compactions} compactions. The table below has its figures.`;
}

const height = 240;

function Plot({ points }: ContextChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const data = useMemo(() => dataOf(points), [points]);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let plot = drawn(element, points, data);
    const redraw = (): void => {
      plot.destroy();
      plot = drawn(element, points, data);
    };
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    // Colours of a canvas do not follow the page's by themselves.
    const themed = new MutationObserver(redraw);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      resized.disconnect();
      themed.disconnect();
      plot.destroy();
    };
  }, [points, data]);
  return <div ref={box} role="img" aria-label={sentenceOf(points)} className="min-h-60 w-full" />;
}

function dataOf(points: readonly ContextPoint[]): uPlot.AlignedData {
  return [
    points.map(({ at }) => at),
    points.map(({ inputTokens }) => inputTokens),
    points.map(({ cacheReadTokens }) => cacheReadTokens),
  ];
}

function drawn(element: HTMLElement, points: readonly ContextPoint[], data: uPlot.AlignedData): uPlot {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const axis = { stroke: color('--ink-faint'), grid: { stroke: color('--line'), width: 1 } };
  return new uPlot(
    {
      width: Math.max(100, element.clientWidth),
      height,
      legend: { show: false },
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(10, most * 1.1)] } },
      axes: [
        { ...axis, values: (_, steps) => steps.map((step) => (Number.isInteger(step) ? String(step) : '')) },
        { ...axis, size: 60, values: (_, tokens) => tokens.map((count) => formatCount(count)) },
      ],
      series: [
        {},
        { label: 'Request', stroke: color('--accent'), width: 2, points: { show: points.length < 60 } },
        {
          label: 'Cache',
          stroke: color('--good'),
          fill: `${color('--good')}40`,
          width: 1,
          points: { show: false },
        },
      ],
      hooks: { draw: [(plot) => drawCompactions(plot, points, color('--warn'))] },
    },
    data,
    element,
  );
}

function drawCompactions(plot: uPlot, points: readonly ContextPoint[], color: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = 2;
  for (const { at, compactions } of points) {
    if (compactions === 0) continue;
    const x = Math.round(plot.valToPos(Math.min(at + 0.5, points.length), 'x', true));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

const columns = ['Step', 'Time', 'Request', 'From the cache', 'Answer', 'Compactions behind it'] as const;

function PointsTable({ points }: ContextChartProps) {
  return (
    <div className="max-h-80 overflow-auto" tabIndex={0} role="region" aria-label="Figures of the chart">
      <table className="w-full text-right text-xs tabular-nums">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className="px-2 font-medium text-ink-soft">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map(({ at, seq, startedAtMs, inputTokens, cacheReadTokens, outputTokens, compactions }) => (
            <tr key={seq} className="border-t border-line">
              <th scope="row" className="px-2 font-normal">
                {at}
              </th>
              <td className="px-2">{formatTime(startedAtMs)}</td>
              <td className="px-2">{countOr(inputTokens)}</td>
              <td className="px-2">{countOr(cacheReadTokens)}</td>
              <td className="px-2">{countOr(outputTokens)}</td>
              <td className="px-2">{compactions}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function countOr(tokens: number | null): string {
  return tokens === null ? '–' : formatCount(tokens);
}
