import { Boundary } from '../../parts/boundary.tsx';
import { lazy, Suspense, useEffect } from 'react';
import { readableText } from '../../parts/visible-text.ts';
import type { MarkdownProps } from './markdown.tsx';

const loadMarkdown = () => import('./markdown.tsx').then((module) => ({ default: module.Markdown }));
const Markdown = lazy(loadMarkdown);

/** Longer texts are shown as they are: to lay them out would keep the page busy for seconds. */
const mostMarkdown = 200_000;

/** What a model wrote: as plain text until the reader of markdown is there, and where it cannot be had. */
export function TextPart({ text, isOpen }: MarkdownProps) {
  const plain = <PlainText text={text} />;
  if (text.length > mostMarkdown) return plain;
  return (
    <Boundary place="text" fallback={plain}>
      <Suspense fallback={plain}>
        <Markdown text={text} isOpen={isOpen} />
      </Suspense>
    </Boundary>
  );
}

/** What the user wrote, character by character: read as Markdown, line breaks and whole lines of it would be lost. */
export function WrittenText({ text }: { readonly text: string }) {
  useEffect(() => {
    // For the answer, which comes next; what does not arrive is asked for again there.
    loadMarkdown().catch(() => {});
  }, []);
  return <PlainText text={text} />;
}

function PlainText({ text }: { readonly text: string }) {
  return (
    <p dir="auto" className="break-words whitespace-pre-wrap">
      {readableText(text)}
    </p>
  );
}
