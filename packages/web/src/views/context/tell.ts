import { toast, toastFailure } from '../../parts/popups/toast.ts';
import type { Told } from './compaction-words.ts';

/** Does something and says what came of it; where there are no words, somebody else says it. */
export async function doAndTell<Answer>(
  whatFails: string,
  act: () => Promise<Answer>,
  words: (answer: Answer) => Told | undefined,
): Promise<void> {
  await toastFailure(whatFails, async () => {
    const { title, ...rest } = words(await act()) ?? {};
    if (title !== undefined) toast(title, rest);
  });
}
