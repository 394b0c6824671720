import { ChatScreen } from './chat-screen.ts';
import { createStyle } from '../../terminal/page.ts';
import { breaksRows, LiveScreen } from '../../terminal/live-screen.ts';
import { openKeyboard } from '../../terminal/keyboard.ts';
import type { AgentSession } from '@throughline/agent';
import type { ChatServices } from '../state/chat-services.ts';
import type { Clock, IdSource } from '@throughline/ports';
import type { Keyboard, Terminal } from '../../terminal/keyboard.ts';

interface TerminalChatOptions {
  readonly services: ChatServices;
  readonly session: AgentSession;
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly hasColor: boolean;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Sent at once. */
  readonly prompt: string;
}

const drawMs = 33;
const moveMs = 120;
/** Longer than tmux waits between two sizes: what is drawn while the width changes is drawn in the wrong place. */
const settleMs = 300;

/** Chats on a terminal until the user leaves; resolves to the session that was open last. */
export async function chatOnTerminal(options: TerminalChatOptions): Promise<AgentSession> {
  const { terminal, prompt, hasColor } = options;
  const { output } = terminal;
  const drawing = new Drawing(options);
  const screen = new ChatScreen({
    ...options,
    style: createStyle(hasColor),
    size: () => sizeOf(terminal),
    onChange: (isUrgent) => drawing.request(isUrgent),
    onTerminalKey: (action) => (action === 'suspend' ? stop(drawing, keyboard) : drawing.wipe()),
  });
  drawing.screen = screen;
  const gone = Promise.withResolvers<void>();
  const keyboard = openKeyboard(terminal, (input) => screen.take(input), gone.resolve);
  const onResize = (): void => {
    screen.resized();
    drawing.settle();
  };
  const onContinue = (): void => {
    keyboard.resume();
    drawing.request(true);
  };
  const signals = [...ending].map((signal) => [signal, () => endBy(signal, drawing, keyboard)] as const);
  for (const [signal, listener] of signals) process.on(signal, listener);
  process.on('SIGCONT', onContinue);
  output.on('resize', onResize);
  const moving = setInterval(() => screen.isMoving && drawing.request(false), moveMs);
  try {
    drawing.draw();
    await screen.chat.begin();
    if (prompt !== '') screen.chat.submit(prompt);
    await Promise.race([screen.left, gone.promise]);
    await screen.chat.end();
  } finally {
    clearInterval(moving);
    output.off('resize', onResize);
    process.off('SIGCONT', onContinue);
    for (const [signal, listener] of signals) process.off(signal, listener);
    drawing.end();
    keyboard[Symbol.dispose]();
  }
  return screen.chat.session;
}

function sizeOf({ output }: Terminal): { readonly columns: number; readonly rows: number } {
  // Not what it was when the last signal came: the terminal may have changed since.
  const [columns, rows] = output.getWindowSize();
  return { columns: columns || 80, rows: rows || 24 };
}

/** Ctrl-Z: to the shell, with those who wait for this process, and back. */
function stop(drawing: Drawing, keyboard: Keyboard): void {
  if (process.platform === 'win32') return;
  drawing.clear();
  keyboard.pause();
  process.kill(0, 'SIGTSTP');
  // Where nobody could wake the process, the system has not stopped it.
  setImmediate(() => {
    keyboard.resume();
    drawing.request(true);
  });
}

const ending = new Set<NodeJS.Signals>(['SIGTERM', 'SIGHUP']);

/** The terminal is left as it was found. */
function endBy(signal: NodeJS.Signals, drawing: Drawing, keyboard: Keyboard): void {
  drawing.end();
  keyboard[Symbol.dispose]();
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Frames in the making: at most one in 33 ms, and at once where keys were pressed. */
class Drawing {
  screen: ChatScreen | undefined;
  readonly #clock: Clock;
  readonly #live: LiveScreen;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #settling: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor({ clock, terminal, environment }: TerminalChatOptions) {
    this.#clock = clock;
    this.#live = new LiveScreen({
      write: (text) => void terminal.output.write(text),
      columns: () => sizeOf(terminal).columns,
      breaksRows: breaksRows(environment),
    });
  }

  /** Keys that come together are drawn together. */
  request(isUrgent: boolean): void {
    if (this.#isOver) return;
    if (isUrgent) this.#soon ??= setImmediate(() => this.draw());
    else this.#timer ??= setTimeout(() => this.draw(), drawMs);
  }

  /** The size has changed, and may not be the last one: nothing is drawn until it is. */
  settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      this.#settling = undefined;
      this.draw();
    }, settleMs);
  }

  draw(): void {
    this.#forget();
    if (this.#settling) return;
    const { screen } = this;
    if (screen && !this.#isOver) this.#live.draw(screen.takePrinted(), screen.live(this.#clock.nowMs()));
  }

  /** Nothing is live until it is drawn again. */
  clear(): void {
    this.#forget();
    this.#live.clear();
  }

  wipe(): void {
    this.#live.wipe();
    this.request(true);
  }

  /** What is left to print, and nothing below it any more. */
  end(): void {
    if (this.#isOver) return;
    clearTimeout(this.#settling);
    this.#settling = undefined;
    this.draw();
    this.clear();
    this.#isOver = true;
  }

  #forget(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
    this.#timer = undefined;
    this.#soon = undefined;
  }
}
