type Dragged = 'dragover' | 'dragleave' | 'drop';

type Acts = Readonly<Partial<Record<Dragged, (event: DragEvent, data: DataTransfer) => unknown>>>;

/** Listens to files over the whole page, until the answer is called. Text that is dragged goes where it is dropped, as ever. */
export function onFilesDragged(acts: Acts): () => void {
  const stop = new AbortController();
  for (const type of ['dragover', 'dragleave', 'drop'] as const)
    addEventListener(
      type,
      (event) => {
        const { dataTransfer: data } = event;
        if (data?.types.includes('Files')) acts[type]?.(event, data);
      },
      { signal: stop.signal },
    );
  return () => stop.abort();
}
