/** Longest stretch without white space that is counted whole, in UTF-16 code units. */
export const longestUnbroken = 8_192;

const windowLength = 512;
const windows = 16;

/** A part of a text; `weight` is how many times as long the stretch is that it stands for. */
interface Sample {
  readonly text: string;
  readonly weight: number;
}

/**
 * Covers `text` by samples whose lengths × weights add up to its length. Everything is a sample of weight 1 except
 * stretches of more than {@link longestUnbroken} characters without white space (base64, minified bundles, hex):
 * of those, 16 windows of 512 characters stand for the whole. Such text costs a byte-pair encoder ten times as much
 * as prose, and is so uniform that counting it whole tells little more.
 */
export function sampleOpaque(text: string): readonly Sample[] {
  if (text.length <= longestUnbroken) return [{ text, weight: 1 }];
  const samples: Sample[] = [];
  let wholeStart = 0;
  let unbrokenStart = 0;
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && !isWhite(text.charCodeAt(index))) continue;
    if (index - unbrokenStart > longestUnbroken) {
      if (unbrokenStart > wholeStart)
        samples.push({ text: text.slice(wholeStart, unbrokenStart), weight: 1 });
      addWindows(text, unbrokenStart, index, samples);
      wholeStart = index;
    }
    unbrokenStart = index + 1;
  }
  if (wholeStart < text.length) samples.push({ text: text.slice(wholeStart), weight: 1 });
  return samples;
}

function addWindows(text: string, start: number, end: number, samples: Sample[]): void {
  const weight = (end - start) / (windows * windowLength);
  const lastStart = end - windowLength;
  for (let number = 0; number < windows; number++) {
    const from = start + Math.floor(((lastStart - start) * number) / (windows - 1));
    samples.push({ text: text.slice(from, from + windowLength), weight });
  }
}

function isWhite(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
