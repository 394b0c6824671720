/** About how much memory a value takes: characters of its texts, bytes of its media, and a little for each thing in it. */
export function sizeOf(value: unknown): number {
  let size = 0;
  // Not by calling itself: what a model says may be nested deeper than calls may be.
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string') size += one.length;
    else if (ArrayBuffer.isView(one)) size += one.byteLength;
    else if (typeof one === 'object' && one !== null) for (const part of Object.values(one)) left.push(part);
    size += 8;
  }
  return size;
}
