import { inspect } from 'node:util';
import { pathToFileURL } from 'node:url';

// Runs programs one after the other in this process: to load the packages takes longer than most of them. Each tells
// its parent what it printed.
for (const path of process.argv.slice(2)) {
  let output = '';
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (chunk: string | Uint8Array) => {
    output += String(chunk);
    return true;
  };
  const failure = await import(pathToFileURL(path).href).then(
    () => undefined,
    (error: unknown) => inspect(error),
  );
  process.stdout.write = write;
  process.stdout.write(`${JSON.stringify({ path, output, failure })}\n`);
}
