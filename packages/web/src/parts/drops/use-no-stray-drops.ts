import { onFilesDragged } from './on-files-dragged.ts';
import { useEffect } from 'react';

/** A file that is dropped where nothing takes it stays where it was: the browser would open it in place of the page. */
export function useNoStrayDrops(): void {
  useEffect(
    () =>
      onFilesDragged({
        dragover(event, data) {
          if (event.defaultPrevented) return;
          event.preventDefault();
          data.dropEffect = 'none';
        },
        drop: (event) => event.preventDefault(),
      }),
    [],
  );
}
