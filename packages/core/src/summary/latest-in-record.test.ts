import { describe, expect, it } from 'vitest';
import { latestInRecord } from './latest-in-record.ts';
import { messageRecallId } from '../transcript/entry.ts';
import type { CarriedMessage } from '../transcript/summary-record.ts';

const said = (ordinal: number, text: string): CarriedMessage => ({
  recallId: messageRecallId(ordinal),
  text,
  isShortened: false,
});

describe('latestInRecord', () => {
  const userMessages = [said(9, 'Use tabs'), said(4, 'Use green'), said(12, '<bash-stdout>ok</bash-stdout>')];

  it('is the newest request that the view does not show, whatever tools said after it', () => {
    expect(latestInRecord({ userMessages }, -1)?.text).toBe('Use tabs');
    expect(latestInRecord({ userMessages }, 5)?.text).toBe('Use tabs');
  });

  it('is none where the view shows a newer one, or where nothing is known of it', () => {
    expect(latestInRecord({ userMessages }, 9)).toBeUndefined();
    expect(latestInRecord({ userMessages })).toBeUndefined();
    expect(latestInRecord({ userMessages: [] }, -1)).toBeUndefined();
  });
});
