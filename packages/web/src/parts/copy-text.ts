import { toast } from './toasts.tsx';

/** Puts a text on the clipboard and says so. Browsers allow it on this machine and behind TLS only. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast('Copied');
  } catch {
    toast('The browser does not let this page copy', {
      detail: 'Select the text and copy it by hand; over TLS or from this machine it works.',
      isBad: true,
    });
  }
}
