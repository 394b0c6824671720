import 'katex/dist/katex.min.css';
import { createCodePlugin } from '@streamdown/code';
import { ExternalLink } from 'lucide-react';
import { math } from '@streamdown/math';
import { cloneElement, isValidElement, useMemo } from 'react';
import { Streamdown } from 'streamdown';
import { withMathSigns } from './math-signs.ts';
import { readableText, visibleText } from '../../parts/visible-text.ts';
import type { Components } from 'streamdown';
import type { ReactNode } from 'react';

export interface MarkdownProps {
  readonly text: string;
  /** More of it will come. */
  readonly isOpen: boolean;
}

const code = createCodePlugin({ themes: ['github-light-high-contrast', 'github-dark-high-contrast'] });

// The same objects each time: for others it would draw all blocks anew.
const plugins = { code, math };
const noPlugins: [] = [];
const linkSafety = { enabled: false };
const controls = { code: { copy: true, download: false }, table: false, mermaid: false };

/**
 * Markdown as a model or a tool wrote it. HTML in it is shown as it was written: no plugin reads it. Links lead to pages
 * and to mail only; a picture of another host is a link, because loading it would tell that host who reads.
 */
export function Markdown({ text, isOpen }: MarkdownProps) {
  const shown = useMemo(() => withMathSigns(readableText(text)), [text]);
  return (
    <Streamdown
      mode={isOpen ? 'streaming' : 'static'}
      isAnimating={isOpen}
      dir="auto"
      className="markdown space-y-3 break-words"
      plugins={plugins}
      rehypePlugins={noPlugins}
      urlTransform={safeUrl}
      linkSafety={linkSafety}
      controls={controls}
      components={components}
    >
      {shown}
    </Streamdown>
  );
}

const safeSchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** The address where it leads to a page or to mail; nothing of what runs, or reads files of this machine. */
export function safeUrl(url: string): string | undefined {
  try {
    const { protocol, href } = new URL(url);
    return safeSchemes.has(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}

/** Below the heading of the message, whatever it says it is: nobody takes a heading of a model for one of the page. */
const headings = Object.fromEntries(
  (['text-xl', 'text-lg', 'text-base', 'text-base', 'text-sm', 'text-sm'] as const).map((size, at) => [
    `h${at + 1}`,
    ({ children }: { readonly children?: ReactNode }) => (
      <h3 className={`${size} mt-4 font-semibold`}>{children}</h3>
    ),
  ]),
) satisfies Components;

const components: Components = {
  ...headings,
  pre: ({ children }) => asScrolledCode(children),
  table: ({ children }) => <ScrolledTable>{children}</ScrolledTable>,
  a: ({ href, children }) => <SafeLink url={typeof href === 'string' ? href : ''}>{children}</SafeLink>,
  img: ({ src, alt }) => <PictureLink url={typeof src === 'string' ? src : ''} alt={alt ?? ''} />,
};

function SafeLink({ url, children }: { readonly url: string; readonly children: ReactNode }) {
  const href = safeUrl(url);
  // What leads nowhere safe says what it says.
  if (href === undefined) return <span>{children}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer noopener"
      className="text-accent underline underline-offset-2 break-words"
    >
      {children}
    </a>
  );
}

/**
 * Code as streamdown draws it, with and without its colours: what it is given here is on the box that is moved sideways,
 * so that the keyboard reaches it from the first moment. Code that names no language is called text: the bar above it
 * would have nothing but the button in it.
 */
function asScrolledCode(code: ReactNode): ReactNode {
  if (!isValidElement<{ readonly className?: string; readonly children?: ReactNode }>(code)) return code;
  const reachable = { 'data-block': 'true', tabIndex: 0, role: 'group', 'aria-label': 'Code' };
  const { className = '', children } = code.props;
  return cloneElement(code, {
    ...reachable,
    ...(typeof children === 'string' && { children: visibleText(children) }),
    className: className.includes('language-') ? className : `${className} language-text`,
  });
}

/** As wide as it wants to be: it is moved inside of its box, with the keyboard, too. */
function ScrolledTable({ children }: { readonly children?: ReactNode }) {
  return (
    <div
      role="group"
      aria-label="Table"
      tabIndex={0}
      className="max-h-[32rem] overflow-auto rounded-md border border-line"
    >
      <table className="w-full border-collapse text-sm">{children}</table>
    </div>
  );
}

function PictureLink({ url, alt }: { readonly url: string; readonly alt: string }) {
  const href = safeUrl(url);
  const name = alt === '' ? 'picture' : alt;
  if (href === undefined || href.startsWith('mailto:')) return <span>[{name}]</span>;
  return (
    <SafeLink url={href}>
      <ExternalLink size={13} aria-hidden className="mr-1 inline" />
      {name} (a picture at {new URL(href).host}, not loaded)
    </SafeLink>
  );
}
