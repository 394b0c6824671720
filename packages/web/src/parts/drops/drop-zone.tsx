import { FileDown } from 'lucide-react';
import { onFilesDragged } from './on-files-dragged.ts';
import { useEffect, useRef, useState } from 'react';

interface DropZoneProps {
  /** What becomes of the files, told while they are dragged over the page. */
  readonly invitation: string;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Takes files that are dropped anywhere on the page, and says so while they are dragged over it. */
export function DropZone({ invitation, onFiles }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(
    () =>
      onFilesDragged({
        dragover(event, data) {
          event.preventDefault();
          data.dropEffect = 'copy';
          setOver(true);
        },
        dragleave: ({ relatedTarget }) => relatedTarget === null && setOver(false),
        drop(event, { files }) {
          event.preventDefault();
          setOver(false);
          latest.current([...files]);
        },
      }),
    [],
  );
  if (!isOver) return null;
  return (
    <div className="pointer-events-none absolute inset-2 z-30 flex items-center justify-center gap-2 rounded-xl border-2 border-dashed border-accent bg-accent-soft/90 font-medium text-accent">
      <FileDown size={18} aria-hidden /> {invitation}
    </div>
  );
}
