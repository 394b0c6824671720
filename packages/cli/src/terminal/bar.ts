const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** A bar for a share in [0, 1]; a share above 0 is never invisible. */
export function bar(share: number, columns: number): string {
  if (!(share > 0) || columns <= 0) return '';
  const units = Math.max(1, Math.round(Math.min(1, share) * columns * 8));
  return '█'.repeat(Math.floor(units / 8)) + (eighths[units % 8] ?? '');
}

/**
 * Many values in one line: each column stands for one value, or for the sum of several neighbours where there are
 * more values than columns.
 */
export function strip(values: readonly number[], columns: number): string {
  const perColumn = Math.max(1, Math.ceil(values.length / columns));
  const sums: number[] = [];
  for (let index = 0; index < values.length; index += perColumn) {
    sums.push(values.slice(index, index + perColumn).reduce((sum, value) => sum + value, 0));
  }
  const most = Math.max(...sums, 1);
  return sums.map((sum) => heights[Math.min(7, Math.floor((sum / most) * 7.999))] ?? '▁').join('');
}
