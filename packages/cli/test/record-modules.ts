import { registerHooks } from 'node:module';

// Loaded before the program: pretends that there is a terminal, and ends the program once the wanted text is written,
// with the modules that were loaded for it.
const wanted = process.env['RECORD_UNTIL'] ?? '';
const loaded: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith('node:') && url !== import.meta.url) loaded.push(url);
    return nextLoad(url, context);
  },
});
for (const stream of [process.stdin, process.stdout]) Object.defineProperty(stream, 'isTTY', { value: true });

let written = '';
process.stdout.write = (chunk: Uint8Array | string) => {
  written += String(chunk);
  if (!written.includes(wanted)) return true;
  process.stderr.write(JSON.stringify({ written, loaded }));
  process.exit(0);
};
