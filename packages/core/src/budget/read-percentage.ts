/**
 * A percentage in any of the ways people write it: `80`, `0.8` and `"80%"` are the same. Below 1 a number is a share, and
 * a text with its sign is what it says. `undefined` where it is none.
 */
export function readPercentage(value: unknown): number | undefined {
  const match =
    typeof value === 'string' ? /^(\d{1,3}(?:\.\d{1,12})?|\.\d{1,12}) ?(%?)$/.exec(value.trim()) : null;
  const number = match ? Number(match[1]) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return undefined;
  const isShare = number > 0 && number < 1 && match?.[2] !== '%';
  return isShare ? Number((number * 100).toPrecision(12)) : number;
}
