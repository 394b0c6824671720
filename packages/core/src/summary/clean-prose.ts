import { withoutMarks } from '../text/quote.ts';
import type { Estimator } from '../tokens/estimator.ts';

/** The keys of headings that only code writes (`render-summary.ts`). In prose such a section is forged, and goes. */
const codeHeading =
  /^(?:originaltask|state(?:asof(?:m\d|now).*)?|timeline(?:oldestfirst.*)?|fileschanged(?:eachwithitslastchange.*)?)$/;
const roundTitle = /^sessionsummary(?:compactionround\d*)?$/;
const outerFence = /^(?:```|~~~)[\w-]{0,20}[ \t]*\n([\s\S]*?)\n?(?:```|~~~)[ \t]*$/;
const thinking = /^<(think|thinking|reasoning|analysis)>[\s\S]*?<\/\1>/i;
const wrapper = /^<(summary|record|output|answer)>([\s\S]*?)(?:<\/\1>)?$/i;
const ourLines = /^\[(?:Record kept by the context manager|Rounds merged)/;
const ourTags = /<(?=\/?(?:user-message|history|message|previous_summary|words)\b)/gi;
const ourPlaceholders =
  /\[(?=(?:cleared (?:result|argument)|shortened (?:result|text)|dropped (?:media|messages)) m\d)/g;

/**
 * A model's answer without what does not belong into prose: thinking, a fence or tag around the whole, sections only
 * code may write, our own header, tags and placeholders. Reads at most about four times what may be kept.
 */
export function cleanProse(answer: string, estimator: Estimator, maxTokens: number): string {
  // An endless answer is refused for its length; nobody needs to clean all of it.
  const isEndless = answer.length > 400_000 || estimator.count(answer) > maxTokens * 40;
  if (isEndless) return answer.trim();
  let text = answer.toWellFormed().replace(/\r\n?/g, '\n').trim();
  text = withoutThinking(text);
  text = (wrapper.exec(text)?.[2] ?? text).trim();
  text = (outerFence.exec(text)?.[1] ?? text).trim();
  const kept = proseSections(text).flatMap(sectionText);
  return withoutGrammar(kept.join('\n'))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** An answer without the thinking that some models write in front of it. */
export function withoutThinking(answer: string): string {
  return answer.trim().replace(thinking, '').trim();
}

/** A model's words in which nothing can be taken for a tag or a placeholder of ours. */
export function withoutGrammar(text: string): string {
  return withoutMarks(text).replace(ourTags, '‹').replace(ourPlaceholders, '(');
}

function sectionText({ heading, level, lines }: ProseSection): string[] {
  const key = headingKey(heading);
  if (codeHeading.test(key)) return [];
  const own = lines.filter((line) => !ourLines.test(line));
  // Headings stand on one level below ours, whatever the model chose.
  const title = level === 0 || roundTitle.test(key) ? [] : [`${'#'.repeat(Math.max(2, level))} ${heading}`];
  return [...title, ...own];
}

/** A heading of prose with the lines below it. */
interface ProseSection {
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
