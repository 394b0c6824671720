/** Draws what has changed, and what changes meanwhile when that is drawn and as much time has passed again. */
interface Pace {
  readonly isChanged: () => void;
  /** What was to be drawn is. */
  readonly isDrawn: () => void;
  readonly stop: () => void;
}

/** So long at least the page is free to be typed in and moved, about two frames. */
const leastRestMs = 30;

/**
 * An answer comes word by word, faster than a long page can be drawn. The first change after a rest is drawn at once;
 * while one follows the other, drawing takes no more than half of the time.
 */
export function paced(draw: () => void): Pace {
  let phase: 'resting' | 'drawing' | 'waiting' = 'resting';
  let hasChanged = false;
  let startedAtMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = (): void => {
    phase = 'drawing';
    hasChanged = false;
    startedAtMs = performance.now();
    draw();
  };
  return {
    isChanged() {
      if (phase === 'resting') begin();
      else hasChanged = true;
    },
    isDrawn() {
      if (phase !== 'drawing') return;
      phase = 'waiting';
      timer = setTimeout(
        () => {
          if (hasChanged) begin();
          else phase = 'resting';
        },
        Math.max(leastRestMs, performance.now() - startedAtMs),
      );
    },
    stop() {
      clearTimeout(timer);
      phase = 'drawing';
    },
  };
}
