import { watchable } from '../../data/watchable.ts';

export interface ToastText {
  readonly title: string;
  readonly detail?: string;
  readonly isBad: boolean;
  /** Takes the place of what was said with the same one. */
  readonly key?: string;
}

/** What was said before the list was there, or since it took over; it takes them out. */
export const unsaid = watchable<readonly ToastText[]>([]);

/** Says something for a few seconds, wherever the user is on the page. */
export function toast(
  title: string,
  { isBad = false, ...more }: Partial<Omit<ToastText, 'title'>> = {},
): void {
  unsaid.set([...unsaid.get(), { title, isBad, ...more }]);
}

/** Runs something for the user; what it throws is said. */
export async function toastFailure(what: string, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    toast(what, { detail: error instanceof Error ? error.message : String(error), isBad: true });
    return false;
  }
}
