// Plain JavaScript without dependencies, because it runs before any are installed.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build-steps.mjs';
import { installDependencies } from './dependencies.mjs';
import { withLock } from './lock.mjs';
import { Failed } from './run.mjs';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Installs dependencies and builds, as far as something has changed, or ends the process with an explanation. Two
 * processes that prepare the same folder wait for each other.
 */
export async function prepare() {
  try {
    checkPlatform();
    await withLock(join(root, '.jobline/prepare.lock'), async () => {
      await installDependencies(root);
      await build(root);
    });
  } catch (error) {
    const isExpected = error instanceof Failed || error.code === 'EACCES' || error.code === 'EROFS';
    console.error(isExpected ? error.message : error);
    process.exit(1);
  }
}

function checkPlatform() {
  const { node } = process.versions;
  const [major, minor] = node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new Failed(`Jobline needs Node 20.19 or newer; this is ${node}. Install one from https://nodejs.org.`);
  if (process.platform === 'win32')
    throw new Failed('Jobline runs on Linux and macOS. On Windows, start it inside WSL.');
}
