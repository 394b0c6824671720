import { styleText } from 'node:util';

/** How parts of the output look. Without colours each is the text itself. */
export interface Style {
  heading(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  warning(text: string): string;
  bad(text: string): string;
  bar(text: string): string;
  freed(text: string): string;
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
