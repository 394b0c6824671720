import { Boundary } from '../../parts/boundary.tsx';
import { lazy, Suspense } from 'react';
import type { MarkdownProps } from './markdown.tsx';

const Markdown = lazy(() => import('./markdown.tsx').then((module) => ({ default: module.Markdown })));

/** Longer texts are shown as they are: to lay them out would keep the page busy for seconds. */
const mostMarkdown = 200_000;

/** What somebody wrote: as plain text until the reader of markdown is there, and where it cannot be had. */
export function TextPart({ text, isOpen }: MarkdownProps) {
  const plain = (
    <div dir="auto" className="break-words whitespace-pre-wrap">
      {text}
    </div>
  );
  if (text.length > mostMarkdown) return plain;
  return (
    <Boundary place="text" fallback={plain}>
      <Suspense fallback={plain}>
        <Markdown text={text} isOpen={isOpen} />
      </Suspense>
    </Boundary>
  );
}
