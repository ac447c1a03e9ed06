// Plain JavaScript without dependencies, because it runs before any are installed.
import { spawn } from 'node:child_process';
import { untilExit } from '../../../packages/devstack/bin/run.mjs';

/**
 * The versions of Node that the suite without its long forms runs on: `node20` is the oldest that `engines` in
 * package.json allows, `node24` is the version of the images and of .ci/run, `node26` is the version after it.
 */
export const NODE_VERSIONS = { node20: '20.19.0', node24: '24.21.0', node26: '26.10.0' };

/** Runs the command with that Node first on the PATH. npm installs it into its cache. Resolves with the exit code. */
export async function runOnNode(name, command) {
  const version = NODE_VERSIONS[name];
  if (!version) {
    console.error(`Unknown version "${name}"; use one of ${Object.keys(NODE_VERSIONS).join(', ')}.`);
    return 1;
  }
  // The package that the install script of npm's package `node` chooses.
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const node = `${prefix}-${process.platform}-${process.arch}@${version}`;
  const [code] = await untilExit(
    spawn('npm', ['exec', '--yes', '--package', node, '--', ...command], { stdio: 'inherit' }),
  );
  return code ?? 1;
}
