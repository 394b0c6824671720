import { createElement, Fragment, useSyncExternalStore } from 'react';
import { render, Static, Text, useCursor, useInput, usePaste, useWindowSize } from 'ink';
import { ChatScreen } from './chat-screen.ts';
import { createStyle } from '../terminal/style.ts';
import type { AgentSession } from '@throughline/agent';
import type { ChatWorld } from './chat-world.ts';
import type { Clock, IdSource } from '@throughline/ports';
import type { FunctionComponent, ReactElement } from 'react';
import type { Live } from './live-rows.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface TerminalChatOptions {
  readonly world: ChatWorld;
  readonly session: AgentSession;
  readonly terminal: Terminal;
  readonly hasColor: boolean;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Sent at once. */
  readonly prompt: string;
}

/** What is drawn: rows that are printed for good, and the live part below them. */
interface Frame {
  /** Counts up when the printed rows begin anew, so that they do not pile up. */
  readonly generation: number;
  readonly printed: readonly string[];
  readonly live: Live;
}

const drawMs = 33;
const moveMs = 120;
const mostPrinted = 500;

/** Chats on a terminal until the user leaves; resolves to the id of the session that was open last. */
export async function chatOnTerminal(options: TerminalChatOptions): Promise<string> {
  const { terminal, clock, prompt, hasColor } = options;
  const drawing = new Drawing(
    () => screen.live(clock.nowMs()),
    () => screen.takePrinted(),
  );
  const screen: ChatScreen = new ChatScreen({
    ...options,
    style: createStyle(hasColor),
    size: () => ({ columns: terminal.output.columns || 80, rows: terminal.output.rows || 24 }),
    onChange: (isUrgent) => drawing.request(isUrgent),
  });
  drawing.request(true);
  const app = render(createElement(Screen, { screen, drawing }), {
    stdin: terminal.input,
    stdout: terminal.output,
    exitOnCtrlC: false,
    patchConsole: false,
    // Whoever runs this in CI on a terminal of their own means it.
    interactive: true,
    maxFps: 60,
  });
  const onResize = (): void => {
    screen.resized();
    drawing.request(true);
  };
  terminal.output.on('resize', onResize);
  const moving = setInterval(() => screen.isMoving && drawing.request(false), moveMs);
  try {
    await screen.chat.begin();
    if (prompt !== '') screen.chat.submit(prompt);
    // A fault of the drawing ends it, too.
    await Promise.race([screen.left, app.waitUntilExit()]);
    await screen.chat.end();
  } finally {
    clearInterval(moving);
    terminal.output.off('resize', onResize);
    drawing.request(true);
    drawing.clear();
    await app.waitUntilRenderFlush();
    app.unmount();
    await app.waitUntilExit();
  }
  return screen.chat.session.id;
}

/** Frames in the making: at most one in 33 ms, and at once where a key was pressed. */
class Drawing {
  frame: Frame = { generation: 0, printed: [], live: { rows: [], cursor: { x: 0, y: 0 } } };
  readonly #live: () => Live;
  readonly #printed: () => readonly string[];
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(live: () => Live, printed: () => readonly string[]) {
    this.#live = live;
    this.#printed = printed;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly current = (): Frame => this.frame;

  request(isUrgent: boolean): void {
    if (isUrgent) this.#draw();
    else this.#timer ??= setTimeout(() => this.#draw(), drawMs);
  }

  /** Nothing is live any more. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#show({ ...this.frame, live: { rows: [], cursor: { x: 0, y: 0 } } });
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { generation, printed } = this.frame;
    const more = this.#printed();
    // One text: a flush is drawn at once.
    const added = more.length === 0 ? [] : [more.map((row) => (row === '' ? ' ' : row)).join('\n')];
    const isFull = added.length > 0 && printed.length >= mostPrinted;
    this.#show({
      generation: isFull ? generation + 1 : generation,
      printed: isFull ? added : added.length > 0 ? [...printed, ...added] : printed,
      live: this.#live(),
    });
  }

  #show(frame: Frame): void {
    this.frame = frame;
    for (const listener of this.#listeners) listener();
  }
}

const Screen: FunctionComponent<{ readonly screen: ChatScreen; readonly drawing: Drawing }> = ({
  screen,
  drawing,
}) => {
  const { generation, printed, live } = useSyncExternalStore(drawing.subscribe, drawing.current);
  const { columns } = useWindowSize();
  const { setCursorPosition } = useCursor();
  useInput((input, key) => screen.pressed(input, key));
  usePaste((text) => screen.pasted(text));
  setCursorPosition(live.rows.length === 0 ? undefined : live.cursor);
  return createElement(
    Fragment,
    null,
    createElement(Static<string>, { key: generation, items: [...printed], children: printedRow }),
    createElement(Text, { key: `live-${columns}`, wrap: 'truncate' }, live.rows.join('\n')),
  );
};

function printedRow(text: string, index: number): ReactElement {
  return createElement(Text, { key: index }, text);
}
