import { Boundary } from '../boundary.tsx';
import { Suspense, useEffect } from 'react';
import { toast } from './toast.ts';
import type { ReactNode } from 'react';

interface ArrivingProps {
  /** In its place while it is on its way, and for good where it does not arrive. @default nothing */
  readonly instead?: ReactNode;
  readonly children: ReactNode;
}

/** A part whose code is fetched when it is wanted. Where the server is gone by then, the rest of the page stays. */
export function Arriving({ instead = null, children }: ArrivingProps) {
  return (
    <Boundary place="part" fallback={instead}>
      <Suspense fallback={instead}>{children}</Suspense>
    </Boundary>
  );
}

interface ArrivingWindowProps {
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A window over the page whose code is fetched when it is opened. Where it does not arrive that is said, and it is closed. */
export function ArrivingWindow({ onClose, children }: ArrivingWindowProps) {
  return (
    <Boundary place="window" fallback={<NotThere onClose={onClose} />}>
      <Suspense>{children}</Suspense>
    </Boundary>
  );
}

/** Says that what was opened has not arrived, and closes it. */
export function NotThere({ onClose }: Pick<ArrivingWindowProps, 'onClose'>) {
  useEffect(() => {
    toast('This window could not be loaded', {
      detail:
        'The server did not send it. Load the page again once the server answers; nothing that was sent is lost.',
      isBad: true,
      key: 'window',
    });
    onClose();
  }, [onClose]);
  return null;
}
