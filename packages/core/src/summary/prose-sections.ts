/** A heading of prose with the lines below it. */
export interface ProseSection {
  /** Without its `#`; empty for what stands before the first heading. */
  readonly heading: string;
  readonly level: number;
  readonly lines: readonly string[];
}

const headingLine = /^ {0,3}(#{1,6}) {1,8}(\S.{0,200})$/;

/** Splits prose at its markdown headings. Linear; joining the pieces gives the same lines. */
export function proseSections(prose: string): ProseSection[] {
  const sections: { heading: string; level: number; lines: string[] }[] = [];
  let current = { heading: '', level: 0, lines: [] as string[] };
  for (const line of prose.split('\n')) {
    const match = line.length > 240 ? null : headingLine.exec(line);
    if (!match) {
      current.lines.push(line);
      continue;
    }
    if (current.level > 0 || current.lines.some((text) => text.trim() !== '')) sections.push(current);
    current = {
      heading: (match[2] ?? '').replace(/[\s#:*]+$/, '').replace(/^\*+/, ''),
      level: match[1]?.length ?? 1,
      lines: [],
    };
  }
  sections.push(current);
  return sections;
}

/** Two headings that mean the same: case, decoration and white space aside. */
export function headingKey(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
