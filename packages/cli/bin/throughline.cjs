#!/usr/bin/env node
// In syntax that any Node can read: an old one says what is needed, and does not stumble over what is newer.
const neededMajor = 24;

if (parseInt(process.versions.node, 10) < neededMajor) {
  process.stderr.write(
    `throughline: this is Node ${process.versions.node}, and the command line needs Node ${neededMajor} or newer; get it from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
} else {
  void import('../dist/main.js');
}
