import { clsx } from 'clsx';
import type { Failure } from '../data/loadable.ts';
import type { ReactNode } from 'react';

const tones = {
  plain: 'border-line bg-ground-soft text-ink',
  good: 'border-good/40 bg-good-soft text-good',
  warn: 'border-warn/40 bg-warn-soft text-warn',
  bad: 'border-bad/40 bg-bad-soft text-bad',
};

interface NoticeProps {
  readonly tone?: keyof typeof tones;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** Something the user should know, where it belongs. Errors are said by screen readers at once. */
export function Notice({ tone = 'plain', title, children, actions }: NoticeProps) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : undefined}
      className={clsx('flex flex-wrap items-start gap-3 rounded-lg border px-3 py-2 text-sm', tones[tone])}
    >
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{title}</p>
        {children !== undefined && <div className="break-words text-ink-soft">{children}</div>}
      </div>
      {actions !== undefined && <div className="flex shrink-0 gap-2">{actions}</div>}
    </div>
  );
}

export function FailureNotice({
  failure,
  actions,
}: {
  readonly failure: Failure;
  readonly actions?: ReactNode;
}) {
  return (
    <Notice tone="bad" title={failure.title} actions={actions}>
      {failure.detail}
    </Notice>
  );
}

/** What is shown where there is nothing yet, with what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="m-auto flex max-w-md flex-col items-center gap-2 p-6 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="text-sm text-ink-soft">{children}</div>}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return <p className="m-auto p-6 text-sm text-ink-faint">Loading {what} …</p>;
}
