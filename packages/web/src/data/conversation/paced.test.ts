import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { paced } from './paced.ts';

describe('what changes all the time', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is drawn at once after a rest, and then when it is drawn and as much time has passed again', () => {
    const draw = vi.fn();
    const pace = paced(draw);
    pace.isChanged();
    expect(draw).toHaveBeenCalledTimes(1);
    pace.isChanged();
    vi.advanceTimersByTime(200);
    pace.isChanged();
    expect(draw).toHaveBeenCalledTimes(1);
    pace.isDrawn();
    vi.advanceTimersByTime(199);
    expect(draw).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(draw).toHaveBeenCalledTimes(2);
  });

  it('is drawn as it is in the end, and no more where nothing has changed', () => {
    const draw = vi.fn();
    const pace = paced(draw);
    pace.isChanged();
    pace.isDrawn();
    pace.isChanged();
    vi.advanceTimersByTime(1_000);
    expect(draw).toHaveBeenCalledTimes(2);
    pace.isDrawn();
    vi.advanceTimersByTime(1_000);
    expect(draw).toHaveBeenCalledTimes(2);
    pace.isChanged();
    expect(draw).toHaveBeenCalledTimes(3);
  });

  it('is drawn no more once it was stopped', () => {
    const draw = vi.fn();
    const pace = paced(draw);
    pace.isChanged();
    pace.isDrawn();
    pace.isChanged();
    pace.stop();
    vi.advanceTimersByTime(1_000);
    pace.isChanged();
    expect(draw).toHaveBeenCalledTimes(1);
  });
});
