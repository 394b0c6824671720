import type { Block } from './block.ts';

/** What the user said or typed. */
export function userBlock(text: string, fold?: Block['fold']): Block {
  return { speaker: 'user', tone: 'heading', mark: '› ', text, ...(fold && { fold }) };
}
