import { Hash } from './hash.ts';

/**
 * A fingerprint that more can be added to without what it was made of: the sum of the hashes of its parts, in whatever
 * order. A part has to say its place where the order counts. Other fingerprints hold no full stop: the two are never
 * taken for each other.
 *
 * @param sums what this function has returned for other parts
 */
export function fingerprintSum(parts: Iterable<string>, sums: Iterable<string> = []): string {
  let low = 0;
  let high = 0;
  for (const sum of sums) {
    const [first = '', second = ''] = sum.split('.');
    low = (low + Number.parseInt(first, 36)) | 0;
    high = (high + Number.parseInt(second, 36)) | 0;
  }
  for (const part of parts) {
    const hash = Hash.take();
    hash.text(part);
    const [one, other] = hash.release();
    low = (low + one) | 0;
    high = (high + other) | 0;
  }
  return `${(low >>> 0).toString(36)}.${(high >>> 0).toString(36)}`;
}

export function isFingerprintSum(fingerprint: string): boolean {
  return fingerprint.includes('.');
}
