import { ChevronLeft, ChevronRight } from 'lucide-react';
import { IconButton } from '../../parts/button.tsx';
import { useLocation } from 'wouter';
import type { Branches } from '../../data/session/branches.ts';

interface BranchArrowsProps {
  readonly branches: Branches;
  /** Recall id of the message. */
  readonly place: string;
}

/** From one version of a message to the next: each is in a session of its own. */
export function BranchArrows({ branches: { at, count, before, after }, place }: BranchArrowsProps) {
  const [, navigate] = useLocation();
  const icon = { size: 15, 'aria-hidden': true };
  const go = (sessionId: string | undefined): void => {
    if (sessionId !== undefined) navigate(`/sessions/${sessionId}/at/${place}`);
  };
  return (
    <span role="group" aria-label="Versions of this message" className="inline-flex items-center">
      <IconButton label="Version before" isSmall disabled={before === undefined} onClick={() => go(before)}>
        <ChevronLeft {...icon} />
      </IconButton>
      <span className="tabular-nums">
        {at + 1} / {count}
      </span>
      <IconButton label="Version after" isSmall disabled={after === undefined} onClick={() => go(after)}>
        <ChevronRight {...icon} />
      </IconButton>
    </span>
  );
}
