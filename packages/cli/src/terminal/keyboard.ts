import { KeyDecoder } from './key-decoder.ts';
import type { Decoded } from './key-decoder.ts';
import type { Terminal } from './terminal.ts';
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
