import { controlKey, keyNamed, keyOf, sequenceKey } from './keys.ts';
import type { TerminalInput } from './keys.ts';

export interface Keyboard extends Disposable {
  /** Gives the keyboard back as it was, for as long as the program is stopped. */
  readonly pause: () => void;
  readonly resume: () => void;
}

/** What follows Esc within this time belongs to it. */
const escapeMs = 50;

/** Pressed before the keyboard was ours, the terminal keeps it as a NUL. */
const ctrlD = '\u0004';

const bracketedPaste = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

/** Every key as it is pressed, from now on until it is disposed of; `onEnd` when the terminal is gone. */
export function openKeyboard(
  { input, output }: Terminal,
  onInput: (input: TerminalInput) => void,
  onEnd: () => void,
): Keyboard {
  const decoder = new KeyDecoder();
  let waiting: NodeJS.Timeout | undefined;
  const tell = ({ inputs, waitsFor }: Decoded): void => {
    for (const one of inputs) onInput(one);
    // The end of a paste may be late; nothing else may hold the keys back.
    if (waitsFor === 'key') waiting = setTimeout(() => tell(decoder.flush()), escapeMs);
  };
  let isEarly = true;
  const onData = (piece: string): void => {
    clearTimeout(waiting);
    tell(decoder.push(isEarly ? piece.replaceAll('\0', ctrlD) : piece));
  };
  const pause = (): void => {
    output.write(bracketedPaste.off);
    input.setRawMode(false);
  };
  const resume = (): void => {
    input.setRawMode(true);
    output.write(bracketedPaste.on);
  };
  input.setEncoding('utf8');
  resume();
  input.on('data', onData).on('end', onEnd).on('error', onEnd).resume();
  // What was typed before is read between the two.
  setImmediate(() => setImmediate(() => (isEarly = false)));
  return {
    pause,
    resume,
    [Symbol.dispose]: () => {
      clearTimeout(waiting);
      input.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
      pause();
    },
  };
}

/** What was told so far, and whether more has to come before the rest can be told. */
interface Decoded {
  readonly inputs: readonly TerminalInput[];
  /** `key`: an escape sequence that may go on, or Esc itself. `paste`: a paste that has not ended. */
  readonly waitsFor: 'nothing' | 'key' | 'paste';
}

const escape = '\u001b';
const pasteStart = `${escape}[200~`;
const pasteEnd = `${escape}[201~`;
/** A text of several lines that is longer came out of a clipboard, whether the terminal says so or not. */
const typedChars = 200;
/** So did a line that is longer. */
const typedLineChars = 800;

/**
 * Keys, texts and pastes out of what a terminal sends, wherever its pieces are cut. What nobody knows becomes a key
 * without a use, never text.
 */
export class KeyDecoder {
  #rest = '';
  /** Pieces of a paste that has begun, or of a text that comes too fast to be typed. */
  #pieces: string[] = [];
  #state: 'keys' | 'paste' | 'burst' = 'keys';

  push(piece: string): Decoded {
    const inputs: TerminalInput[] = [];
    let text = this.#rest + piece;
    this.#rest = '';
    while (text !== '') text = this.#take(text, inputs);
    return { inputs, waitsFor: this.#waitsFor() };
  }

  /** Nothing has come for a while: what waits is all there is. */
  flush(): Decoded {
    const inputs: TerminalInput[] = [];
    if (this.#state === 'burst') this.#endBurst(inputs);
    else if (this.#state === 'keys' && this.#rest !== '') inputs.push(...cutKeys(this.#rest));
    if (this.#state === 'keys') this.#rest = '';
    return { inputs, waitsFor: this.#waitsFor() };
  }

  #waitsFor(): Decoded['waitsFor'] {
    if (this.#state === 'paste') return 'paste';
    return this.#state === 'burst' || this.#rest !== '' ? 'key' : 'nothing';
  }

  /** Takes from the beginning; what is left is to be looked at next. */
  #take(text: string, inputs: TerminalInput[]): string {
    if (this.#state === 'paste') return this.#takePaste(text, inputs);
    const plain = plainLength(text);
    if (this.#state === 'burst' && plain === text.length) {
      this.#pieces.push(text);
      return '';
    }
    if (this.#state === 'burst') {
      this.#pieces.push(text.slice(0, plain));
      this.#endBurst(inputs);
      return text.slice(plain);
    }
    if (plain > 0) {
      const run = text.slice(0, plain);
      if (!isBurst(run)) inputs.push(...typedKeys(run));
      else {
        this.#pieces = [run];
        this.#state = 'burst';
        if (plain < text.length) this.#endBurst(inputs);
      }
      return text.slice(plain);
    }
    if (!text.startsWith(escape)) {
      inputs.push(controlKey(text.slice(0, 1)));
      return text.slice(1);
    }
    const length = escapeLength(text);
    if (length === undefined) {
      this.#rest = text;
      return '';
    }
    const sequence = text.slice(0, length);
    if (sequence === pasteStart) this.#state = 'paste';
    // The end of a paste that nobody saw begin.
    else if (sequence !== pasteEnd) inputs.push(escapedKey(sequence));
    return text.slice(length);
  }

  #takePaste(text: string, inputs: TerminalInput[]): string {
    // A terminal that lost the end of a paste must not hold the user: nobody pastes an interrupt alone.
    const isInterrupt = text === '\u0003';
    const end = isInterrupt ? 0 : text.indexOf(pasteEnd);
    if (end === -1) {
      const kept = keptEnd(text);
      this.#pieces.push(text.slice(0, text.length - kept));
      this.#rest = text.slice(text.length - kept);
      return '';
    }
    inputs.push({ type: 'paste', text: this.#pieces.join('') + text.slice(0, end) });
    this.#pieces = [];
    this.#state = 'keys';
    return text.slice(isInterrupt ? 0 : end + pasteEnd.length);
  }

  /** The last end of line of a text that is not marked as a paste is a key, as it is for a shell. */
  #endBurst(inputs: TerminalInput[]): void {
    const text = this.#pieces.join('');
    const end = /(?:\r\n|\r|\n)$/.exec(text)?.[0] ?? '';
    inputs.push({ type: 'paste', text: text.slice(0, text.length - end.length) });
    if (end !== '') inputs.push(keyNamed('enter'));
    this.#pieces = [];
    this.#state = 'keys';
  }
}

/** How much of the beginning is text, line ends and tabs. */
function plainLength(text: string): number {
  // oxlint-disable-next-line no-control-regex
  const control = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/);
  return control === -1 ? text.length : control;
}

function isBurst(run: string): boolean {
  return run.length > typedLineChars || (run.length > typedChars && /[\r\n]+[^\r\n]/.test(run));
}

function typedKeys(run: string): readonly TerminalInput[] {
  return run.split(/(\r\n|[\r\n\t])/).flatMap((part): readonly TerminalInput[] => {
    if (part === '') return [];
    return /^[\r\n\t]/.test(part) ? [controlKey(part.slice(0, 1))] : [{ type: 'text', text: part }];
  });
}

/** Length of the escape sequence at the beginning; `undefined` where it may go on. */
function escapeLength(text: string): number | undefined {
  // Alt is told by one more escape before the sequence.
  const at = text.startsWith(escape + escape) ? 2 : 1;
  const next = text[at];
  if (next === undefined) return undefined;
  if (next === '[') return controlLength(text, at + 1);
  if (next === 'O') return ss3Length(text, at + 1);
  if (at === 2) return 1;
  if (']P_'.includes(next)) return stringLength(text);
  return at + (String.fromCodePoint(text.codePointAt(at) ?? 0).length || 1);
}

function controlLength(text: string, start: number): number | undefined {
  // The console of Linux: ESC [ [ A is F1.
  const from = text[start] === '[' ? start + 1 : start;
  const rest = /[^\u0020-\u003f]/.exec(text.slice(from, from + 64));
  const shifted = /^\d\$/.exec(text.slice(from, from + 2));
  if (shifted) return from + 2;
  if (!rest) return text.length - from >= 64 ? text.length : undefined;
  const isFinal = /[@-~]/.test(rest[0]);
  // Something else begins in the middle of a sequence: what was cut off is dropped.
  return from + rest.index + (isFinal ? 1 : 0);
}

function ss3Length(text: string, start: number): number | undefined {
  const [digits = ''] = /^[\d;]*/.exec(text.slice(start, start + 16)) ?? [];
  const end = text[start + digits.length];
  if (end === undefined) return undefined;
  return start + digits.length + (/[@-~]/.test(end) ? 1 : 0);
}

/** An answer of the terminal that is a text of its own: up to BEL or ESC \. Else it is Alt with that letter. */
function stringLength(text: string): number | undefined {
  if (text.length > 2 && !/^.(?:\]\d|P[\d>!+$]|_G)/.test(text)) return 2;
  // oxlint-disable-next-line no-control-regex
  const end = /\u0007|\u001b\\/.exec(text);
  return end ? end.index + end[0].length : undefined;
}

function escapedKey(sequence: string): TerminalInput {
  const hasAlt = sequence.startsWith(escape + escape);
  const at = hasAlt ? 2 : 1;
  const kind = sequence[at];
  const body = sequence.slice(at + 1);
  if (sequence === escape) return keyNamed('escape');
  if ((kind === '[' || kind === 'O') && body !== '') return sequenceKey(kind, body, { hasAlt });
  const character = sequence.slice(at);
  if (character.length > 2) return keyNamed('unknown');
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u001f\u007f]$/.test(character)) return controlKey(character, { hasAlt: true });
  return keyOf(character, { hasAlt: true, ...(/^[A-Z]$/.test(character) && { hasShift: true }) });
}

/** What was begun and is not gone on with: Esc, Alt with a key that also begins sequences, or a part of one. */
function cutKeys(rest: string): readonly TerminalInput[] {
  if (rest === escape) return [keyNamed('escape')];
  if (rest === escape + escape) return [keyNamed('escape'), keyNamed('escape')];
  if (rest.length === 2) return [escapedKey(rest)];
  return [keyNamed('unknown')];
}

/** How much of the end may be the beginning of the mark that ends a paste. */
function keptEnd(text: string): number {
  for (let length = Math.min(pasteEnd.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(pasteEnd.slice(0, length))) return length;
  return 0;
}

/** Keyboard and screen. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}
