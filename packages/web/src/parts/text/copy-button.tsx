import { Check, Copy } from 'lucide-react';
import { IconButton } from '../button.tsx';
import { toast } from '../popups/toast.ts';
import { useEffect, useState } from 'react';

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
}

export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => setCopied(await copyText(text));
  return (
    <IconButton label={isCopied ? 'Copied' : label} isSmall onClick={() => void copy()}>
      {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
    </IconButton>
  );
}

/** Whether it was copied; where the browser does not allow it the user is told. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // There only on pages of this machine and on those behind TLS.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    toast('The browser does not let this page copy', {
      detail: 'Select the text and copy it. Over https, or on this machine, the button works.',
      isBad: true,
    });
    return false;
  }
}
