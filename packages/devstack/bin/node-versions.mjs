// Plain JavaScript without dependencies: it runs before there are any.
import { execFileSync, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { npmCommand } from './dependencies.mjs';
import { withLock } from './lock.mjs';
import { Failed, run } from './run.mjs';

/**
 * The versions of Node that the whole suite runs on: `node20` is the oldest that `engines` in package.json allows,
 * `node24` is the one of the images and of .ci/run, `node26` is the one after it.
 */
export const NODE_VERSIONS = { node20: '20.19.0', node24: '24.21.0', node26: '26.10.0' };

/**
 * Runs the command with that Node first on the PATH, and resolves with its exit code; with 1, and a sentence on the
 * terminal, if it cannot be run. Signals are passed on.
 */
export async function runOnNode(root, name, command) {
  try {
    return await runWith(await installNode(root, name), command);
  } catch (error) {
    console.error(error instanceof Failed ? error.message : error);
    return 1;
  }
}

async function runWith(bin, [command, ...args]) {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const child = spawn(command, args, { env, stdio: 'inherit' });
  const forward = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    for (const signal of signals) process.off(signal, forward);
  }
}

/** The folder that holds the program `node` of that version. The first use installs it from npm, below `.jobline`. */
async function installNode(root, name) {
  const version = NODE_VERSIONS[name];
  if (!version) throw new Failed(`Name one of ${Object.keys(NODE_VERSIONS).join(', ')} instead of "${name}".`);
  const dir = join(root, '.jobline', 'node', version);
  const bin = join(dir, 'node_modules', packageName(), 'bin');
  const isInstalled = () => versionOf(join(bin, 'node')) === `v${version}`;
  if (isInstalled()) return bin;
  await withLock(join(root, '.jobline', 'node.lock'), async () => {
    if (isInstalled()) return; // by the process that had the lock
    rmSync(dir, { recursive: true, force: true });
    const [npm, first] = npmCommand();
    const wanted = `${packageName()}@${version}`;
    const args = ['install', '--prefix', dir, '--no-save', '--no-audit', '--no-fund', '--loglevel=error', wanted];
    await run(`Installing Node ${version}`, npm, [...first, ...args], { cwd: root });
    if (!isInstalled()) throw new Failed(`${wanted} was installed and does not run on this machine.`);
  });
  return bin;
}

/** The package that the install script of npm's package `node` chooses. */
function packageName() {
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${process.platform}-${process.arch}`;
}

function versionOf(node) {
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null; // that it does not run is the answer
  }
}
