import { field, section } from '../fields/field.ts';
import { bytes, count, texts, variableName, word } from '../fields/rules.ts';

/** The HTTP server (spec P1, P10). */
export const serverSection = section(
  {
    host: field(word('a host name or address to listen on'), {
      about: 'Where it listens. Any other than this machine needs `tokenEnv`.',
      default: '127.0.0.1',
    }),
    port: field(count(0, 65_535), { about: 'The port; 0 takes a free one.', default: 4_100 }),
    tokenEnv: field(variableName, {
      about: 'Name of the environment variable that holds the token callers must show.',
      defaultText: 'none: only this machine may call',
    }),
    allowedHosts: field(texts, {
      about: 'Names a request may be addressed to, beside the address it listens on.',
      default: [],
    }),
    allowedOrigins: field(texts, { about: 'Pages of other origins that may call.', default: [] }),
    maxBodyBytes: field(bytes(1), { about: 'Largest body of a request.', default: 32_000_000 }),
  },
  'The HTTP server.',
);
