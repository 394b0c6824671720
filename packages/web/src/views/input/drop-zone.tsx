import { Paperclip } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

/** Takes files that are dropped anywhere on the page, and says so while they are dragged over it. */
export function DropZone({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    const stop = new AbortController();
    const listen = (type: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void): void =>
      addEventListener(type, (event) => isOfFiles(event) && act(event), { signal: stop.signal });
    listen('dragover', (event) => {
      // Without this the browser would open the file in place of the page.
      event.preventDefault();
      setOver(true);
    });
    listen('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false));
    listen('drop', (event) => {
      event.preventDefault();
      setOver(false);
      latest.current([...(event.dataTransfer?.files ?? [])]);
    });
    return () => stop.abort();
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none absolute inset-2 z-30 flex items-center justify-center gap-2 rounded-xl border-2 border-dashed border-accent bg-accent-soft/90 font-medium text-accent">
      <Paperclip size={18} aria-hidden /> Drop to attach to the message
    </div>
  );
}

/** Text that is dragged goes where it is dropped, as ever. */
function isOfFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}
