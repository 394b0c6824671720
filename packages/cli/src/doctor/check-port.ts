import { createServer } from 'node:net';
import { fail, ok } from './finding.ts';
import { once } from 'node:events';
import type { Check } from './finding.ts';
import type { ServerConfig } from '@throughline/config';

const name = 'port';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken: by another program, or by a server of throughline that runs already.',
  EACCES: 'may not be listened on by this user.',
  EADDRNOTAVAIL: 'is no address of this machine.',
  ENOTFOUND: 'is no host that is known here.',
};

/** The server could listen where it is configured to. */
export function checkPort({ host, port }: ServerConfig): Check {
  return {
    name,
    run: async (signal) => {
      if (port === 0) return [ok(name, `${host}, any free port`)];
      const server = createServer();
      try {
        server.listen({ host, port, signal, exclusive: true });
        await once(server, 'listening');
        return [ok(name, `${host}:${port} is free.`)];
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        return [fail(name, `${host}:${port} ${reasons[code] ?? `cannot be listened on: ${String(error)}.`}`)];
      } finally {
        server.close();
      }
    },
  };
}
