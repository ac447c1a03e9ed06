// Plain JavaScript without dependencies, because it runs before any are installed.
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { npm } from './dependencies.mjs';
import { withLock } from './lock.mjs';
import { Failed, run, untilExit } from './run.mjs';

/**
 * The versions of Node that the whole suite runs on: `node20` is the oldest that `engines` in package.json allows,
 * `node24` is the version of the images and of .ci/run, `node26` is the version after it.
 */
export const NODE_VERSIONS = { node20: '20.19.0', node24: '24.21.0', node26: '26.10.0' };

/** Runs the command with that Node first on the PATH. Resolves with its exit code, or with 1 if it cannot be run. */
export async function runOnNode(root, name, [command, ...args]) {
  try {
    const env = { ...process.env, PATH: `${await installNode(root, name)}${delimiter}${process.env.PATH}` };
    const [code] = await untilExit(spawn(command, args, { env, stdio: 'inherit' }));
    return code ?? 1;
  } catch (error) {
    console.error(error instanceof Failed ? error.message : error);
    return 1;
  }
}

/** Returns the folder of the program `node` of that version. The first use installs it from npm, below `.jobline`. */
async function installNode(root, name) {
  const version = NODE_VERSIONS[name];
  if (!version) throw new Failed(`Unknown version "${name}"; use one of ${Object.keys(NODE_VERSIONS).join(', ')}.`);
  const dir = join(root, '.jobline/node', version);
  // The package that the install script of npm's package `node` chooses.
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const packageName = `${prefix}-${process.platform}-${process.arch}`;
  const bin = join(dir, 'node_modules', packageName, 'bin');
  const isInstalled = () => spawnSync(join(bin, 'node'), ['--version']).stdout?.toString().trim() === `v${version}`;
  await withLock(join(root, '.jobline/node.lock'), async () => {
    if (isInstalled()) return;
    rmSync(dir, { recursive: true, force: true });
    const options = ['--prefix', dir, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
    await run(`Installing Node ${version}`, npm('install', ...options, `${packageName}@${version}`), { cwd: root });
    if (!isInstalled()) throw new Failed(`${packageName}@${version} was installed but does not run on this machine.`);
  });
  return bin;
}
