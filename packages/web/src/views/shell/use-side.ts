import { focusMain } from './use-kept-focus.ts';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { KeyboardEvent, RefObject } from 'react';

interface Side {
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
  readonly list: RefObject<HTMLElement | null>;
  /** Where the focus goes when Escape closes it. */
  readonly opener: RefObject<HTMLButtonElement | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** On a narrow page the list of sessions lies over the page: it takes the focus, and goes when that leaves it. */
export function useSide(): Side {
  const [isOpen, setOpen] = useState(false);
  const [location] = useLocation();
  const list = useRef<HTMLElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => setOpen(false), [location]);
  useEffect(() => {
    const { current: shown } = list;
    if (isOpen) shown?.focus();
    else if (shown?.contains(document.activeElement) && !shown.checkVisibility()) focusMain();
  }, [isOpen]);
  const onKeyDown = ({ key, defaultPrevented }: KeyboardEvent): void => {
    if (key !== 'Escape' || !isOpen || defaultPrevented) return;
    setOpen(false);
    opener.current?.focus();
  };
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false), list, opener, onKeyDown };
}
