import { clsx } from 'clsx';
import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';

const manager = Toast.createToastManager();

/** Says something for a few seconds, wherever the user is on the page. */
export function toast(
  title: string,
  options: { readonly detail?: string; readonly isBad?: boolean } = {},
): void {
  const { detail, isBad = false } = options;
  manager.add({
    title,
    type: isBad ? 'bad' : 'plain',
    priority: isBad ? 'high' : 'low',
    ...(detail !== undefined && { description: detail }),
  });
}

/** Runs something for the user; what it throws is said. */
export async function toastFailure(what: string, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    toast(what, { detail: error instanceof Error ? error.message : String(error), isBad: true });
    return false;
  }
}

export function Toasts({ children }: { readonly children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager} timeout={6_000} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((one) => (
    <Toast.Root
      key={one.id}
      toast={one}
      className={clsx(
        'rounded-lg border p-3 pr-9 shadow-lg',
        one.type === 'bad' ? 'border-bad bg-bad-soft text-bad' : 'border-line bg-ground-raised text-ink',
      )}
    >
      <Toast.Title className="text-sm font-medium" />
      <Toast.Description className="text-xs break-words" />
      <Toast.Close aria-label="Dismiss" className="absolute top-2 right-2 rounded p-1 hover:bg-ground-strong">
        <X size={14} aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ));
}
