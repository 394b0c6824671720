// Plain JavaScript for Node 18 and up: this file runs before the right Node and any package is there.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildSteps, jobs } from './jobs.mjs';

const wantedMajor = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const nodeHome = join(root, 'tools', 'node');

/** A failure the reader can act on: printed as a sentence, without a stack. */
class Complaint extends Error {}

function report(sentence) {
  process.stderr.write(`throughline: ${sentence}\n`);
}

/**
 * Runs one program with our terminal; signals sent to us reach it, and its end is returned. `onOutput` takes what it
 * prints instead of the terminal; `beside` are checks that it is told of, once they are over.
 */
async function run(program, args, { cwd = root, env = process.env, isSetUp = false, onOutput, beside } = {}) {
  // What set-up says must not get into output that somebody pipes.
  const stdio = onOutput
    ? ['ignore', 'pipe', 'pipe']
    : ['inherit', isSetUp ? process.stderr : 'inherit', 'inherit', ...(beside ? ['ipc'] : [])];
  const child = spawn(program, args, { cwd, env, stdio });
  if (onOutput) for (const out of [child.stdout, child.stderr]) out.setEncoding('utf8').on('data', onOutput);
  void beside?.tellTo(child);
  // A terminal sends Ctrl-C to the whole group; sending it again would look like a second, impatient one.
  const onInterrupt = () => process.stdin.isTTY || child.kill('SIGINT');
  const onTerminate = () => child.kill('SIGTERM');
  const onHangup = () => child.kill('SIGHUP');
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGHUP', onHangup);
  try {
    return await new Promise((resolve, reject) => {
      // What it has printed is there when it closes.
      child
        .once('error', reject)
        .once(onOutput ? 'close' : 'exit', (code, signal) => resolve({ code, signal }));
    });
  } finally {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onHangup);
  }
}

/** Ends this process the way the child ended, so that shells and CI see the truth. */
function endLike({ code, signal }) {
  if (signal === null) process.exit(code ?? 1);
  releaseLock();
  process.kill(process.pid, signal);
}

const lockPath = join(root, 'tools', '.lock');
let holdsLock = false;
/** Nobody may write here: what is installed and built is what there is, and needs no lock. */
let isReadOnly = false;

function mayWrite(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

const lockTryMs = 200;
/** To see that everything is up to date takes less: only who waits longer waits for an installation or a build. */
const waitToldMs = 3_000;
const lockBeatMs = 5_000;
/** After a crash another process may have the id of the owner; a lock that nobody refreshes is a leftover. */
const lockLeftMs = 6 * lockBeatMs;
let lockBeat;

/** Two terminals may start at once; installs and builds must not overlap. */
async function takeLock() {
  isReadOnly = !mayWrite(dirname(lockPath));
  for (let attempt = 0; !isReadOnly; attempt += 1) {
    try {
      writeFileSync(lockPath, String(process.pid), { flag: 'wx' });
      holdsLock = true;
      lockBeat = setInterval(refreshLock, lockBeatMs);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw new Complaint(`cannot write ${lockPath} (${error.message}).`);
    }
    if (attempt === waitToldMs / lockTryMs)
      report('waiting for another Throughline command to finish installing or building …');
    if (isLeftover(attempt)) rmSync(lockPath, { force: true });
    else await delay(lockTryMs);
  }
}

function isLeftover(attempt) {
  try {
    const owner = Number.parseInt(readFileSync(lockPath, 'utf8'), 10);
    // An empty file is a lock being written; after a second it is a leftover.
    if (Number.isNaN(owner)) return attempt > 5;
    return !isAlive(owner) || Date.now() - statSync(lockPath).mtimeMs > lockLeftMs;
  } catch {
    return false; // released just now
  }
}

function refreshLock() {
  try {
    utimesSync(lockPath, new Date(), new Date());
  } catch {
    // Somebody took it for a leftover: a computer that slept.
  }
}

function releaseLock() {
  clearInterval(lockBeat);
  if (holdsLock) rmSync(lockPath, { force: true });
  holdsLock = false;
}
process.on('exit', releaseLock);

const readOnlySentence = `${root} cannot be written to: run it once as a user who may write there.`;

function npmScript() {
  const beside = dirname(process.execPath);
  const candidates = [
    process.env.npm_execpath,
    join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npm')),
  ];
  for (const candidate of candidates) {
    if (!candidate || !existsSync(candidate)) continue;
    const script = realpathSync(candidate);
    if (basename(script) === 'npm-cli.js') return script;
  }
  throw new Complaint('npm was not found. Install Node with npm from https://nodejs.org and try again.');
}

/** `npm ci` in `folder`, run by `node`, unless this lockfile is what is already installed there. */
async function install(folder, node, what, extra = []) {
  const stamp = join(folder, 'node_modules', '.throughline-stamp');
  const lockfile = readFileSync(join(folder, 'package-lock.json'));
  const wanted = `${createHash('sha256').update(lockfile).digest('hex')} ${process.platform}-${process.arch}\n`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;

  if (isReadOnly) throw new Complaint(`${what} must be installed, and ${readOnlySentence}`);
  rmSync(stamp, { force: true }); // an interrupted install must not look finished
  report(`installing ${what} …`);
  const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev', '--include=optional'];
  const end = await run(node.path, [npmScript(), ...flags, ...extra], {
    cwd: folder,
    env: npmEnvironment(node),
    isSetUp: true,
  });
  if (end.signal !== null) endLike(end);
  if (end.code !== 0) {
    throw new Complaint(
      `could not install ${what}: npm ended with code ${end.code} and said why above. ` +
        'If it could not reach the registry, check the network, the proxy or `npm config get registry`, and try again.',
    );
  }
  writeFileSync(stamp, wanted);
}

/** Under `npm run`, npm's variables describe the outer call; a nested npm would take them for its own. */
function npmEnvironment(node) {
  const env = { ...environmentWith(node) };
  for (const name of Object.keys(env)) {
    if (/^npm_(package|lifecycle)_|^npm_config_local_prefix$/i.test(name)) delete env[name];
  }
  // Headers must belong to the Node that runs, or native add-ons are built for another one.
  if (node.isPackaged) env.npm_config_nodedir = dirname(dirname(node.path));
  return env;
}

function environmentWith(node) {
  const env = { ...process.env, npm_node_execpath: node.path };
  const pathName = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const folders = [dirname(node.path), join(root, 'node_modules', '.bin'), env[pathName]];
  env[pathName] = folders.filter(Boolean).join(delimiter);
  return env;
}

/** This Node when it is new enough, else the packaged one. */
async function findNode() {
  const own = { path: process.execPath, isPackaged: false };
  if (Number.parseInt(process.versions.node, 10) >= wantedMajor) return own;

  const platform = { linux: 'linux', win32: 'win' }[process.platform];
  const name = `node-${platform}-${process.arch}`;
  const packages = JSON.parse(readFileSync(join(nodeHome, 'package.json'), 'utf8')).optionalDependencies;
  if (!(name in packages)) {
    throw new Complaint(
      `this is Node ${process.versions.node}, and Node ${wantedMajor} or newer is needed. There is no packaged one ` +
        `for ${process.platform}-${process.arch}: install it from https://nodejs.org and try again.`,
    );
  }
  await install(nodeHome, own, `Node ${packages[name]}`, ['--ignore-scripts']);
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = join(nodeHome, 'node_modules', name, 'bin', binary);
  if (existsSync(path)) return { path, isPackaged: true };
  rmSync(join(nodeHome, 'node_modules'), { recursive: true, force: true });
  // To npm the package is optional: it ends well, and silently, when it could not fetch it.
  throw new Complaint(
    `npm could not fetch ${name}. Check the network, the proxy or \`npm config get registry\` and try again, ` +
      `or install Node ${wantedMajor} from https://nodejs.org.`,
  );
}

const builtStamp = join(root, 'tools', '.built');
const newStamp = `${builtStamp}-${process.pid}`;

/**
 * Begun before the build, so that what is edited while it runs is newer than the stamp. The wrapper `throughline` reads
 * it: on this machine, with this Node, it may run what is built for as long as nothing is newer.
 */
function beginStamp(node) {
  if (isReadOnly || process.platform === 'win32') return;
  const machine = spawnSync('uname', ['-nsm'], { encoding: 'utf8' }).stdout ?? '';
  writeFileSync(newStamp, `${machine.trim()}\n${node.path}\n`);
}

/** A build that failed leaves no stamp: the next start tries again. */
function endStamp(isBuilt) {
  if (!existsSync(newStamp)) return;
  if (isBuilt) renameSync(newStamp, builtStamp);
  else rmSync(newStamp, { force: true });
}
process.on('exit', () => endStamp(false));

/** Checks that run while tests do, one after the other. What they print is kept until somebody tells it. */
class Beside {
  constructor(steps, node) {
    this.isTold = false;
    this.ends = this.runAll(steps, node);
  }

  async runAll(steps, node) {
    const ends = [];
    for (const { name, node: words } of steps) {
      const [script, ...rest] = words;
      let output = '';
      const onOutput = (text) => (output += text);
      const end = await run(node.path, [join(root, script), ...rest], {
        env: environmentWith(node),
        onOutput,
      });
      if (end.signal !== null) endLike(end);
      ends.push({ name, output, isFailed: end.code !== 0 });
    }
    return ends;
  }

  /** The reporter of the tests waits for them, tells, and says that it has. */
  async tellTo(child) {
    child.on('message', () => (this.isTold = true));
    const checks = await this.ends;
    // Who has ended meanwhile need not know.
    if (child.connected) child.send({ checks }, () => {});
  }

  /** The names of those that failed; told here where the tests did not get so far. */
  async failed() {
    const failures = (await this.ends).filter(({ isFailed }) => isFailed);
    if (!this.isTold) for (const { output } of failures) process.stdout.write(output);
    return failures.map(({ name }) => name);
  }
}

async function runStep(step, node, failed, { args = [], beside } = {}) {
  // A program is run as the wrapper runs it when nothing has to be built.
  const env = { ...(step.isProgram ? process.env : environmentWith(node)), ...step.env };
  // The last line of a test run must not be green when a check before it was red.
  if (failed.length > 0) env.THROUGHLINE_FAILED_CHECKS = failed.join(', ');
  const [script, ...rest] = step.node;
  // A program works on the files of whoever called it, and its exit code is the answer.
  const cwd = step.isProgram ? (process.env.INIT_CWD ?? process.cwd()) : root;
  if (beside) env.THROUGHLINE_CHECKS_BESIDE = '1';
  const options = { env, cwd, isSetUp: buildSteps.includes(step), beside };
  const end = await run(node.path, [join(root, script), ...rest, ...args], options);
  if (end.signal !== null || step.isProgram) endLike(end);
  if (end.code !== 0) failed.push(step.name);
  return end;
}

async function build(node, failed) {
  for (const step of buildSteps) {
    const end = await runStep(step, node, failed);
    if (end.code !== 0) return end;
  }
  return { code: 0, signal: null };
}

async function main([jobName, ...args]) {
  const job = Object.hasOwn(jobs, jobName ?? '') ? jobs[jobName] : undefined;
  if (!job) throw new Complaint(`no such job: ${jobName}. There are ${Object.keys(jobs).join(', ')}.`);

  const failed = [];
  await takeLock();
  const node = await findNode();
  await install(root, node, 'packages');
  if (job.build) {
    beginStamp(node);
    const end = await build(node, failed);
    endStamp(end.code === 0);
    if (end.code !== 0 && isReadOnly)
      throw new Complaint(`what is built is not up to date, and ${readOnlySentence}`);
    if (end.code !== 0 && !job.keepGoing) endLike(end);
  }
  releaseLock();

  const aside = job.steps.filter(({ isBeside }) => isBeside);
  const beside = aside.length > 0 ? new Beside(aside, node) : undefined;
  for (const step of job.steps) {
    if (step.isBeside) continue;
    const end = await runStep(step, node, failed, step === job.steps.at(-1) ? { args, beside } : {});
    if (end.code !== 0 && !job.keepGoing) endLike(end);
  }
  if (beside) failed.push(...(await beside.failed()));
  if (failed.length === 0) return;
  if (!job.steps.at(-1)?.countsFailures) report(`failed: ${failed.join(', ')} (see above).`);
  process.exitCode = 1;
}

main(process.argv.slice(2)).catch((error) => {
  report(error instanceof Complaint ? error.message : (error.stack ?? error));
  process.exit(1);
});
