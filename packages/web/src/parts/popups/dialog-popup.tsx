import { Dialog as Base } from '@base-ui/react/dialog';
import { clsx } from 'clsx';
import { IconButton } from '../button.tsx';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';

export interface DialogPopupProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** A sentence below the title. */
  readonly about?: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A window over the page. Escape and a click beside it close it; the focus goes back to where it was. */
export function DialogPopup({ isOpen, onClose, title, about, isWide = false, children }: DialogPopupProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/50" />
        <Base.Popup
          className={clsx(
            'fixed top-[8vh] left-1/2 z-50 flex max-h-[84vh] w-[calc(100vw-1.5rem)] -translate-x-1/2 flex-col rounded-xl border border-line bg-ground-raised shadow-xl',
            isWide ? 'max-w-5xl' : 'max-w-lg',
          )}
        >
          <header className="flex items-start gap-2 border-b border-line px-4 py-3">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-base font-semibold">{title}</Base.Title>
              {about !== undefined && (
                <Base.Description className="text-sm text-ink-soft">{about}</Base.Description>
              )}
            </div>
            <Base.Close
              render={
                <IconButton label="Close" isSmall>
                  <X size={16} aria-hidden />
                </IconButton>
              }
            />
          </header>
          <div className="min-h-0 flex-1 overflow-auto p-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
