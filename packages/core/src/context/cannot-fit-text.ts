import type { CannotFit } from './step.ts';

/** What is known of a request that cannot fit: a `cannot-fit` step, or what a host keeps of one. */
interface NoFit extends Pick<CannotFit, 'usableTokens' | 'requestTokens'> {
  readonly parts?: CannotFit['parts'];
  readonly canCompact?: boolean;
  readonly wire?: CannotFit['wire'];
}

interface CannotFitTextOptions {
  /** What the provider said, where it refused the request. */
  readonly refusal?: string;
  /** How numbers are written. @default plain digits */
  readonly number?: (value: number) => string;
}

const shownParts = 3;

/**
 * The sentence on what cannot fit: how large the request is, how much is usable, and the biggest parts. What could be
 * done about it is left to whoever shows it, because it depends on what their user can do.
 */
export function cannotFitText(noFit: NoFit, options: CannotFitTextOptions = {}): string {
  const { refusal, number = String } = options;
  const said =
    refusal === undefined ? '' : `The provider refuses the request: ${refusal.replace(/[.\s]+$/, '')}. `;
  const parts = noFit.canCompact === true ? '' : partsText(noFit.parts ?? [], number);
  return `${said}${measured(noFit, refusal !== undefined, number)}${parts}.`;
}

function measured(noFit: NoFit, isRefused: boolean, number: (value: number) => string): string {
  const size = `${number(noFit.requestTokens)} tokens`;
  const limits = `${number(noFit.usableTokens)} are usable${wireText(noFit.wire, number)}`;
  if (noFit.canCompact === true)
    return `The request measures ${size}, ${limits}, and automatic compaction is off`;
  return isRefused
    ? `It measures ${size}, and nothing more can be left out`
    : `It cannot fit: the smallest request measures ${size}, ${limits}`;
}

function wireText(wire: CannotFit['wire'], number: (value: number) => string): string {
  if (!wire) return '';
  const { bytes, media, maxBytes, maxMedia } = wire;
  const limits = [
    ...(maxBytes === undefined ? [] : [`${number(bytes)} bytes of ${number(maxBytes)}`]),
    ...(maxMedia === undefined ? [] : [`${number(media)} images and files of ${number(maxMedia)}`]),
  ];
  return limits.length === 0 ? '' : ` (${limits.join(', ')})`;
}

function partsText(parts: CannotFit['parts'], number: (value: number) => string): string {
  if (parts.length === 0) return '';
  const named = parts.slice(0, shownParts).map(({ name, tokens }) => `${name} ${number(tokens)}`);
  const others = parts.slice(shownParts).reduce((sum, { tokens }) => sum + tokens, 0);
  const all = others > 0 ? [...named, `all else ${number(others)}`] : named;
  return `; the biggest parts are ${all.join(', ')}`;
}
