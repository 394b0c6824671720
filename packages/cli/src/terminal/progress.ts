import { cutTo } from './fit-text.ts';
import { printable } from './printable.ts';
import type { Cli } from '../cli.ts';

/** A line on standard error that says what is being done, while it lasts. Nothing where nobody looks. */
export interface Progress {
  readonly say: (text: string) => void;
  readonly clear: () => void;
}

export function createProgress({ showsProgress, columns, err }: Cli): Progress {
  let isShown = false;
  const clear = (): void => {
    if (isShown) err('\r\u001b[K');
    isShown = false;
  };
  return {
    say(text) {
      if (!showsProgress) return;
      clear();
      err(cutTo(printable(text), columns - 1));
      isShown = true;
    },
    clear,
  };
}
