import { toast } from '../../parts/popups/toasts.tsx';
import { useState } from 'react';
import type { ClipboardEvent } from 'react';
import type { UserPart } from '../../data/types.ts';

export interface Attachment {
  readonly key: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly part: Exclude<UserPart, { readonly type: 'text' }>;
}

export interface Attachments {
  readonly attachments: readonly Attachment[];
  readonly add: (files: readonly File[]) => Promise<void>;
  readonly remove: (key: string) => void;
  readonly clear: () => void;
  /** Takes pasted images and files; pasted text stays text. */
  readonly onPaste: (event: ClipboardEvent) => void;
}

/** The server takes bodies of 32 MB unless it is configured otherwise; base64 is a third larger than the file. */
const mostBytes = 20_000_000;

/** Images and files that go along with the next message. */
export function useAttachments(): Attachments {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const add = async (files: readonly File[]): Promise<void> => {
    const used = attachments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const size = files.reduce((sum, file) => sum + file.size, used);
    if (size > mostBytes) {
      toast('Too large for one message', {
        detail: `Attachments of a message may have ${mostBytes / 1_000_000} MB together.`,
        isBad: true,
      });
      return;
    }
    const read = await Promise.all(files.map(attachmentOf));
    setAttachments((before) => [...before, ...read]);
  };
  return {
    attachments,
    add,
    remove: (key) => setAttachments((before) => before.filter((one) => one.key !== key)),
    clear: () => setAttachments([]),
    onPaste(event) {
      const files = [...event.clipboardData.files];
      if (files.length === 0) return;
      event.preventDefault();
      void add(files);
    },
  };
}

let made = 0;

async function attachmentOf(file: File): Promise<Attachment> {
  const data = await base64Of(file);
  made += 1;
  const type = file.type.startsWith('image/') ? 'image' : 'file';
  const mediaType = file.type === '' ? 'application/octet-stream' : file.type;
  const part = { type, data, mediaType, filename: file.name } as const;
  return { key: `${made}`, name: file.name, sizeBytes: file.size, part };
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'));
    reader.onload = () =>
      resolve(typeof reader.result === 'string' ? reader.result.replace(/^[^,]*,/, '') : '');
    reader.readAsDataURL(file);
  });
}
