import { createContext, useContext, useState } from 'react';
import type { ReactNode } from 'react';

/** What the reader has opened and closed, by name: rows that are out of sight are taken away, and come back as they were. */
const Opened = createContext<Map<string, boolean>>(new Map());

export function OpenedProvider({ children }: { readonly children: ReactNode }) {
  const [opened] = useState(() => new Map<string, boolean>());
  return <Opened value={opened}>{children}</Opened>;
}

interface CollapsibleProps {
  /** The same whenever it is drawn anew, and of nothing else in the conversation. */
  readonly name: string;
  /** For as long as the reader has not said otherwise. @default false */
  readonly isOpenByItself?: boolean;
  /** A `<summary>` with what is always in sight. */
  readonly summary: ReactNode;
  readonly className: string;
  readonly children: ReactNode;
}

/** Something with its first line in sight, and the rest for who wants it. */
export function Collapsible({
  name,
  isOpenByItself = false,
  summary,
  className,
  children,
}: CollapsibleProps) {
  const opened = useContext(Opened);
  const [chosen, setChosen] = useState(() => opened.get(name));
  const isOpen = chosen ?? isOpenByItself;
  const choose = (next: boolean): void => {
    opened.set(name, next);
    setChosen(next);
  };
  return (
    <details
      open={isOpen}
      // At once: the browser tells that it was opened in a turn of its own, and by then its row may be drawn anew.
      onClick={(event) => {
        if (event.defaultPrevented || !isSummary(event.target, event.currentTarget)) return;
        event.preventDefault();
        choose(!isOpen);
      }}
      // As a search in the page does.
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) choose(currentTarget.open);
      }}
      className={className}
    >
      {summary}
      {isOpen && children}
    </details>
  );
}

/** Whether a press was on the first line, and on nothing in it that is pressed for itself. */
function isSummary(pressed: EventTarget, details: HTMLElement): boolean {
  const found = pressed instanceof Element ? pressed.closest('summary, button, a, input') : null;
  return found?.tagName === 'SUMMARY' && found.parentElement === details;
}
