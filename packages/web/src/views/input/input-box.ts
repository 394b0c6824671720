import { contentOf, mostAttachedBytes, partsOf, readFiles } from './attachments.ts';
import { keepDraft, readDraft } from '../../data/drafts.ts';
import { toast } from '../../parts/popups/toast.ts';
import { watchable } from '../../data/watchable.ts';
import type { Attachment } from './attachments.ts';
import type { UserContent } from '../../data/types.ts';
import type { Watched } from '../../data/watchable.ts';

/** What is written and attached in a session and not sent. Components follow it by its parts: who does not draw it is not drawn again. */
export interface InputBox {
  readonly text: Watched<string>;
  readonly attachments: Watched<readonly Attachment[]>;
  readonly write: (text: string) => void;
  /** Attaches files; why some are not is said. */
  readonly attach: (files: readonly File[]) => Promise<void>;
  readonly detach: (key: string) => void;
  /** All of it, as a message; the box is empty then. */
  readonly take: () => UserContent;
  /** Puts a message back that was not sent, in front of what is written now. */
  readonly putBack: (content: UserContent) => void;
}

export function openInputBox(sessionId: string): InputBox {
  const text = watchable(readDraft(sessionId));
  const attachments = watchable<readonly Attachment[]>([]);
  const write = (now: string): void => {
    text.set(now);
    keepDraft(sessionId, now);
  };
  return {
    text,
    attachments,
    write,
    async attach(files) {
      if (files.length === 0) return;
      const read = await readFiles(files, attachments.get());
      if (read === 'too-large') {
        sayTooLarge();
        return;
      }
      attachments.set([...attachments.get(), ...read.filter((one) => 'part' in one)]);
      sayUnreadable(read.flatMap((one) => ('unreadable' in one ? [one.unreadable] : [])));
    },
    detach: (key) => attachments.set(attachments.get().filter((one) => one.key !== key)),
    take() {
      const content = contentOf(text.get(), attachments.get());
      write('');
      attachments.set([]);
      return content;
    },
    putBack(content) {
      const back = partsOf(content);
      const written = text.get();
      write(written.trim() === '' ? back.text : `${back.text}\n\n${written}`);
      attachments.set([...back.attachments, ...attachments.get()]);
    },
  };
}

function sayTooLarge(): void {
  toast('Too large for one message', {
    detail: `Attachments of a message may have ${mostAttachedBytes / 1_000_000} MB together. Larger files can lie in the folder of the agent: tell it their path.`,
    isBad: true,
  });
}

function sayUnreadable(names: readonly string[]): void {
  if (names.length === 0) return;
  toast(`Not attached: ${names.join(', ')}`, {
    detail: 'The browser cannot read it. Folders cannot be attached: attach their files.',
    isBad: true,
  });
}
