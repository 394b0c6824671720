import { LiveChat } from './live-chat.ts';
import { edit, emptyEditor, plainText, sent } from './line-editor.ts';
import { keyAction } from './key-action.ts';
import { liveRows } from './live-rows.ts';
import { rowsOf } from '../state/block.ts';
import { slashNames } from '../slash/slash-commands.ts';
import type { ApprovalAnswer } from '@throughline/agent';
import type { Block } from '../state/block.ts';
import type { LiveChatOptions } from './live-chat.ts';
import type { ChatState } from '../state/chat-state.ts';
import type { Edit, Editor } from './line-editor.ts';
import type { KeyAction } from './key-action.ts';
import type { LivePart } from '../../terminal/live-screen.ts';
import type { Style } from '../../terminal/page.ts';
import type { TerminalInput } from '../../terminal/keys.ts';

interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

interface ChatScreenOptions extends Omit<LiveChatOptions, 'columns' | 'tell'> {
  readonly style: Style;
  /** Read before each drawing. */
  readonly size: () => ScreenSize;
  /** Told that there is something new to draw; `isUrgent` when a key was pressed. */
  readonly onChange: (isUrgent: boolean) => void;
  /** Ctrl-Z and Ctrl-L, which are for the terminal. @default they do nothing */
  readonly onTerminalKey?: (action: 'suspend' | 'redraw') => void;
}

const answers: Readonly<Record<string, ApprovalAnswer>> = {
  y: { type: 'allow', scope: 'once' },
  s: { type: 'allow', scope: 'session' },
  a: { type: 'allow', scope: 'always' },
};

const leaveHint = 'Ctrl-C again leaves; the session is kept.';
const edgeColumns = 1;
/** What is typed when a question appears was meant for the message. */
const startleMs = 400;

/** A chat on a terminal without the terminal: keys in, rows out. */
export class ChatScreen {
  readonly chat: LiveChat;
  readonly left: Promise<void>;
  readonly #options: ChatScreenOptions;
  readonly #leave: () => void;
  #editor: Editor = emptyEditor;
  /** The message, while the reason for a denial is being typed. */
  #aside: Editor = emptyEditor;
  #isDenying = false;
  #isLeaving = false;
  #unprinted: string[] = [];
  #question: { readonly id: string; readonly sinceMs: number } | undefined;

  constructor(options: ChatScreenOptions) {
    this.#options = options;
    const leaving = Promise.withResolvers<void>();
    this.#leave = leaving.resolve;
    const tell = (state: ChatState, blocks: readonly Block[]): void => this.#tell(state, blocks);
    this.chat = new LiveChat({ ...options, columns: this.#columns(), tell });
    this.left = Promise.race([leaving.promise, this.chat.left]);
  }

  /** Rows that are to be printed above the live part, once. */
  takePrinted(): readonly string[] {
    return this.#unprinted.splice(0);
  }

  live(nowMs: number): LivePart {
    const { style, size } = this.#options;
    return liveRows(this.chat.state, {
      ...size(),
      style,
      nowMs,
      editor: this.#editor,
      isDenying: this.#isDenying,
      hint: this.#isLeaving ? leaveHint : '',
    });
  }

  /** Something moves by itself. */
  get isMoving(): boolean {
    const { run, command } = this.chat.state;
    return run !== null || command !== null;
  }

  resized(): void {
    this.chat.resize(this.#columns());
  }

  /** What comes from the keyboard, a piece at a time. */
  take(input: TerminalInput): void {
    if (input.type === 'key') this.#press(keyAction(input.key));
    else {
      this.#isLeaving = false;
      if (this.#isAsking()) this.#answer(input);
      else this.#edit({ type: input.type === 'paste' ? 'paste' : 'insert', text: input.text });
    }
    this.#options.onChange(true);
  }

  #press(action: KeyAction): void {
    const wasLeaving = this.#isLeaving;
    this.#isLeaving = false;
    if (action.type === 'interrupt') this.#interrupt(wasLeaving);
    else if (action.type === 'suspend' || action.type === 'redraw')
      this.#options.onTerminalKey?.(action.type);
    else if (!this.#isAsking()) this.#act(action);
    else if (action.type === 'stop') this.#refuse();
  }

  #columns(): number {
    return Math.max(20, this.#options.size().columns) - edgeColumns;
  }

  #tell(state: ChatState, blocks: readonly Block[]): void {
    if (state.approvals.length === 0) this.#endDenying();
    const [request] = state.approvals;
    if (request?.id !== this.#question?.id)
      this.#question = request && { id: request.id, sinceMs: this.#options.clock.nowMs() };
    for (const block of blocks) this.#unprinted.push(...rowsOf(block, state.columns, this.#options.style));
    this.#options.onChange(false);
  }

  /** Keys answer a question; what is typed while a reason is asked for is text. */
  #isAsking(): boolean {
    return this.chat.state.approvals.length > 0 && !this.#isDenying;
  }

  /** One letter answers. More of them at once were not meant for the question, but for a reason that follows a no. */
  #answer({ type, text }: Exclude<TerminalInput, { type: 'key' }>): void {
    const letter = text.slice(0, 1).toLowerCase();
    const askedMs = this.#options.clock.nowMs() - (this.#question?.sinceMs ?? 0);
    if (type === 'paste' || askedMs < startleMs) return;
    if (letter === 'n') {
      this.#isDenying = true;
      this.#aside = this.#editor;
      this.#edit({ type: 'clear' });
      this.#edit({ type: 'insert', text: text.slice(1) });
    } else if (text.length === 1 && Object.hasOwn(answers, letter)) this.#give(answers[letter]);
  }

  /** Without a run there is nothing to stop: the question is left from one that was cut off. */
  #refuse(): void {
    if (!this.chat.cancel()) this.#give({ type: 'deny' });
  }

  #give(answer: ApprovalAnswer | undefined): void {
    if (answer) this.chat.answer(answer);
  }

  #act(action: KeyAction): void {
    if (action.type === 'edit') this.#edit(action.edit);
    else if (action.type === 'enter') this.#enter();
    else if (action.type === 'complete') this.#complete();
    else if (action.type === 'stop') this.#stop();
    else if (action.type === 'end-of-input') this.#endOfInput();
  }

  #edit(change: Edit): void {
    this.#editor = edit(this.#editor, change);
  }

  #enter(): void {
    const { text, cursor } = this.#editor;
    const message = plainText(this.#editor);
    if (this.#isDenying) return this.#deny(message.trim());
    if (cursor === text.length && text.endsWith('\\')) {
      this.#edit({ type: 'backspace' });
      return this.#edit({ type: 'insert', text: '\n' });
    }
    if (message.trim() === '') return;
    this.#editor = sent(this.#editor);
    this.chat.submit(message);
  }

  /** The message that was being typed before is there again. */
  #endDenying(): void {
    if (this.#isDenying) this.#editor = this.#aside;
    this.#isDenying = false;
  }

  #deny(reason: string): void {
    this.#endDenying();
    this.#give({ type: 'deny', ...(reason === '' ? {} : { reason }) });
  }

  /** The name of a command as far as it is certain. */
  #complete(): void {
    const { text } = this.#editor;
    if (!/^\/\w*$/.test(text)) return;
    const fitting = slashNames.filter((name) => name.startsWith(text));
    const [first] = fitting;
    if (first !== undefined && fitting.length === 1)
      this.#edit({ type: 'insert', text: `${first.slice(text.length)} ` });
    else if (fitting.length > 1) this.chat.notice(fitting.join('  '), 'faint');
  }

  #stop(): void {
    if (this.#isDenying) this.#endDenying();
    else this.chat.cancel();
  }

  #interrupt(wasLeaving: boolean): void {
    if (wasLeaving) return this.#leave();
    const isTyped = this.#editor.text !== '';
    if (!this.chat.cancel() && isTyped) return this.#edit({ type: 'clear' });
    this.#isLeaving = true;
  }

  #endOfInput(): void {
    if (this.#editor.text === '') this.#leave();
    else this.#edit({ type: 'delete' });
  }
}
