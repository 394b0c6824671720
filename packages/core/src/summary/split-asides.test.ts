import { describe, expect, it } from 'vitest';
import { messageRecallId } from '../transcript/entry.ts';
import { splitAsides } from './split-asides.ts';
import type { CarriedMessage } from '../transcript/summary-record.ts';

const said = (ordinal: number, text: string): CarriedMessage => ({
  recallId: messageRecallId(ordinal),
  text,
  isShortened: false,
});

describe('splitAsides', () => {
  it('tells asides of tools from words and instructions, keeps the order, and each aside once', () => {
    const aside = '<bash-stdout>ok</bash-stdout>';
    const messages = [
      said(1, aside),
      said(2, 'go on'),
      said(3, '<user_instructions>Use tabs.</user_instructions>'),
      said(4, aside),
      said(5, 'go on'),
    ];
    const { own, asides } = splitAsides(messages);
    expect(own.map(({ recallId }) => recallId)).toEqual(['m2', 'm3', 'm5']);
    expect(asides.map(({ recallId }) => recallId)).toEqual(['m1']);
  });
});
