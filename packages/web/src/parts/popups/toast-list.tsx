import { clsx } from 'clsx';
import { Toast } from '@base-ui/react/toast';
import { unsaid } from './toast.ts';
import { useEffect, useSyncExternalStore } from 'react';
import { X } from 'lucide-react';

const manager = Toast.createToastManager();

/** Below the header: what is pressed while the agent works is at the bottom, and what fills the context at the right. */
export function ToastList() {
  const texts = useSyncExternalStore(unsaid.subscribe, unsaid.get);
  useEffect(() => {
    for (const { title, detail, isBad, key } of texts)
      manager.add({
        title,
        type: isBad ? 'bad' : 'plain',
        description: detail,
        ...(key !== undefined && { id: key }),
      });
    if (texts.length > 0) unsaid.set([]);
  }, [texts]);
  return (
    <Toast.Provider toastManager={manager} timeout={6_000} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="fixed top-14 left-1/2 z-50 flex w-80 max-w-[calc(100vw-2rem)] -translate-x-1/2 flex-col gap-2 max-md:top-20">
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
      // Its role is that of a window, and it is none: keys of the page go on working.
      data-toast
      toast={one}
      className={clsx(
        'relative rounded-lg border p-3 pr-9 shadow-lg data-limited:hidden',
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
