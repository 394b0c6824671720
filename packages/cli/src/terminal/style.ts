import { styleText } from 'node:util';

/** The same text as it is shown. */
export type Paint = (text: string) => string;

/** How parts of the output look. Without colours each is the text itself. */
export interface Style {
  readonly heading: Paint;
  readonly faint: Paint;
  readonly good: Paint;
  readonly warning: Paint;
  readonly bad: Paint;
  readonly bar: Paint;
  readonly freed: Paint;
}

type Format = Parameters<typeof styleText>[0];

export function createStyle(hasColor: boolean): Style {
  const as = (format: Format) => (text: string) =>
    hasColor && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    heading: as('bold'),
    faint: as('dim'),
    good: as('green'),
    warning: as('yellow'),
    bad: as('red'),
    bar: as('cyan'),
    freed: as('green'),
  };
}
