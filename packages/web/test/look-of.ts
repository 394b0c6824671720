import type { Page } from 'playwright-core';

/** How light each cell of the page is, a hexadecimal digit each: what can be compared where fonts are others. */
export type Look = readonly string[];

/** A cell is so many pixels wide and high: larger than words, smaller than any panel. */
const cellPx = 30;

/** The page as it is seen now, as cells. The picture is read in a page of its own. */
export async function lookOf(page: Page, reader: Page): Promise<Look> {
  const picture = await page.screenshot({ animations: 'disabled' });
  return await reader.evaluate(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture.toString('base64')}';
    await image.decode();
    const [columns, rows] = [image.width, image.height].map((px) => Math.round(px / ${cellPx}));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const paper = canvas.getContext('2d', { willReadFrequently: true });
    paper.drawImage(image, 0, 0);
    const { data } = paper.getImageData(0, 0, image.width, image.height);
    const sums = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ({ light: 0, count: 0 })));
    for (let y = 0; y < image.height; y += 2)
      for (let x = 0; x < image.width; x += 2) {
        const at = (y * image.width + x) * 4;
        const cell = sums[Math.floor((y * rows) / image.height)][Math.floor((x * columns) / image.width)];
        cell.light += (data[at] + data[at + 1] + data[at + 2]) / 765;
        cell.count += 1;
      }
    return sums.map((row) => row.map(({ light, count }) => Math.round((light / count) * 15).toString(16)).join(''));
  })()`);
}

/** A word more or less in a cell is none; another ground or a panel is. */
const sameWithin = 3;

/** Share of the cells that look different; all of them where there are more or fewer. */
export function differentShare(a: Look, b: Look): number {
  if (a.length !== b.length || a[0]?.length !== b[0]?.length) return 1;
  const cells = a.flatMap((row, y) => [...row].map((cell, x) => [cell, b[y]?.[x] ?? ''] as const));
  const light = (cell: string): number => Number.parseInt(cell, 16);
  return (
    cells.filter(([one, other]) => Math.abs(light(one) - light(other)) > sameWithin).length / cells.length
  );
}
