import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { AddressInfo, Socket } from 'node:net';

/** A way to a server that breaks. */
export interface CuttingProxy {
  readonly url: string;
  /** How many connections were broken in the middle. */
  readonly cutCount: number;
  /** Breaks every connection that is open now. */
  cut(): void;
}

/**
 * Hands bytes on to whatever server there is now. Each connection is reset after as many bytes of answers as the list
 * says next; when the list is at its end they hold.
 */
export async function openCuttingProxy(portOf: () => number, cuts: readonly number[]): Promise<CuttingProxy> {
  const left = [...cuts];
  const sockets = new Set<Socket>();
  let cutCount = 0;
  const server = createServer((client) => {
    const upstream = connect(portOf(), '127.0.0.1');
    const both = [client, upstream];
    const destroy = (): void => both.forEach((socket) => socket.destroy());
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', destroy);
      socket.on('close', () => {
        sockets.delete(socket);
        destroy();
      });
    }
    let room = left.shift() ?? Infinity;
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      client.write(bytes.subarray(0, room));
      room -= bytes.length;
      if (room > 0) return;
      cutCount += 1;
      client.end();
      upstream.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get cutCount() {
      return cutCount;
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
