import type { Answer } from '@throughline/core';
import type { Driver, Timer } from '@throughline/ports';

const failed: Answer = { type: 'failed', cause: 'unavailable', message: 'the summariser is down' };

/** Writes prose; one time in five it fails, in one way or another. */
export function createMoodySummariser(random: () => number, timer: Timer): Driver {
  const moods: readonly (() => Promise<Answer> | Answer)[] = [
    () => failed,
    () => ({ type: 'text', text: '', finish: 'stop' }),
    () => ({ type: 'text', text: '\u0000{"rubbish": [', finish: 'length' }),
    () => {
      throw new Error('the summariser throws');
    },
    async () => {
      await timer.wait(400);
      return failed;
    },
  ];
  return {
    name: 'moody',
    complete: async ({ messages }, { signal }) => {
      if (random() < 0.2) return await (moods[Math.floor(random() * moods.length)]?.() ?? failed);
      if (random() < 0.2) await timer.wait(200, signal);
      const asked = messages.reduce((sum, { content }) => sum + content.length, 0);
      return { type: 'text', text: `Files were read and lines noted (${asked} characters).`, finish: 'stop' };
    },
  };
}
