/**
 * A whole number in whole shares that are as near to the weights as can be, and add up to it exactly: the largest
 * remainders are rounded up. Of equal ones the first is, and where all weights are 0 the first takes everything.
 *
 * @param total at least 0, below 10^12
 * @param weights none below 0
 */
export function shareOut<Key extends string>(
  total: number,
  weights: Readonly<Record<Key, number>>,
): Record<Key, number> {
  const keys = Object.keys(weights) as Key[];
  const sum = keys.reduce((all, key) => all + weights[key], 0);
  const exact = (key: Key): number => (sum > 0 ? (weights[key] / sum) * total : key === keys[0] ? total : 0);
  const shares: Record<Key, number> = { ...weights };
  let left = total;
  for (const key of keys) {
    shares[key] = Math.floor(exact(key));
    left -= shares[key];
  }
  const byRemainder = keys.toSorted((a, b) => (exact(b) % 1) - (exact(a) % 1));
  for (const key of byRemainder.slice(0, left)) shares[key] += 1;
  return shares;
}
