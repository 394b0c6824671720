import { toast, toastFailure } from '../../parts/popups/toasts.tsx';
import type { Told } from './compaction-words.ts';

/** Does something and says what came of it, whatever that is. */
export async function doAndTell<Answer>(
  whatFails: string,
  act: () => Promise<Answer>,
  words: (answer: Answer) => Told,
): Promise<void> {
  await toastFailure(whatFails, async () => {
    const { title, ...rest } = words(await act());
    toast(title, rest);
  });
}
