import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';

type State = 'open' | 'silent';

/** A way to a server that a test makes bad. */
export interface BadLine extends AsyncDisposable {
  readonly port: number;
  /** Silent: both ends keep their connections and hear nothing any more, as when a cable is pulled. */
  set(state: State): void;
  /** What comes is handed on so much later. */
  delay(ms: number): void;
  /** Resets all connections; new ones are taken. */
  drop(): void;
}

/** Hands bytes on to a port of this machine. */
export async function openBadLine(port: number): Promise<BadLine> {
  const line = new Line();
  const server = createServer((near) => line.join(near, connect(port, '127.0.0.1')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    set: (state) => line.set(state),
    delay: (ms) => void (line.delayMs = ms),
    drop: () => line.drop(),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      line.drop();
      await closed;
    },
  };
}

class Line {
  delayMs = 0;
  #state: State = 'open';
  readonly #sockets = new Set<Socket>();

  join(near: Socket, far: Socket): void {
    this.#hand(near, far);
    this.#hand(far, near);
  }

  set(state: State): void {
    this.#state = state;
    for (const socket of this.#sockets) this.#settle(socket);
  }

  drop(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** While it is silent the ends of connections are not handed on either. */
  #hand(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes) => {
      if (this.delayMs === 0) to.write(bytes);
      else setTimeout(() => void (to.writable && to.write(bytes)), this.delayMs);
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      if (this.#state === 'open') to.destroy();
    });
    this.#settle(from);
  }

  #settle(socket: Socket): void {
    if (this.#state === 'silent') socket.pause();
    else socket.resume();
  }
}
