import type { UserContent, UserPart } from '../../data/types.ts';

export interface Attachment {
  readonly key: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly part: Exclude<UserPart, { readonly type: 'text' }>;
}

/** The server takes bodies of 32 MB unless it is configured otherwise; base64 is a third larger than the file. */
export const mostAttachedBytes = 20_000_000;

/** Reads files that are to go along with those that are attached already; one too many leaves all of them out. */
export async function readFiles(
  files: readonly File[],
  attached: readonly Attachment[],
): Promise<readonly (Attachment | { readonly unreadable: string })[] | 'too-large'> {
  const used = attached.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (files.reduce((sum, file) => sum + file.size, used) > mostAttachedBytes) return 'too-large';
  return await Promise.all(files.map((file) => attachmentOf(file).catch(() => ({ unreadable: file.name }))));
}

let made = 0;

function newKey(): string {
  made += 1;
  return String(made);
}

async function attachmentOf(file: File): Promise<Attachment> {
  const data = await base64Of(file);
  const type = file.type.startsWith('image/') ? 'image' : 'file';
  const mediaType = file.type === '' ? 'application/octet-stream' : file.type;
  const part = { type, data, mediaType, filename: file.name } as const;
  return { key: newKey(), name: file.name, sizeBytes: file.size, part };
}

function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'));
    reader.onload = () =>
      resolve(typeof reader.result === 'string' ? reader.result.replace(/^[^,]*,/, '') : '');
    reader.readAsDataURL(file);
  });
}

/** A message as it is sent: plain text where nothing is attached. */
export function contentOf(text: string, attachments: readonly Attachment[]): UserContent {
  if (attachments.length === 0) return text;
  const words = text.trim() === '' ? [] : [{ type: 'text', text } as const];
  return [...words, ...attachments.map(({ part }) => part)];
}

/** What a message was made of, so that it can be written again. */
export function partsOf(content: UserContent): {
  readonly text: string;
  readonly attachments: readonly Attachment[];
} {
  if (typeof content === 'string') return { text: content, attachments: [] };
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const attachments = content.flatMap((part): Attachment[] => {
    if (part.type === 'text') return [];
    const sizeBytes = Math.floor((part.data.length * 3) / 4);
    return [{ key: newKey(), name: part.filename ?? part.mediaType, sizeBytes, part }];
  });
  return { text, attachments };
}
