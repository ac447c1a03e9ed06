// Plain JavaScript without dependencies: it runs before there are any.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areDependenciesInstalled, installDependencies } from './dependencies.mjs';
import { withLock } from './lock.mjs';
import { Failed } from './run.mjs';
import { buildSources, isBuilt } from './sources.mjs';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Leaves installed dependencies and a current build, or ends the process with a sentence. Costs milliseconds when
 * nothing has changed. Two at once in one checkout wait for each other.
 */
export async function prepare() {
  try {
    checkPlatform();
    if (areDependenciesInstalled(root) && isBuilt(root)) return;
    await withLock(join(root, '.jobline', 'prepare.lock'), async () => {
      if (!areDependenciesInstalled(root)) await installDependencies(root);
      if (!isBuilt(root)) await buildSources(root);
    });
  } catch (error) {
    const ownFault = error instanceof Failed || error.code === 'EACCES' || error.code === 'EROFS';
    console.error(ownFault ? error.message : error);
    process.exit(1);
  }
}

function checkPlatform() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Failed(
      `Jobline needs Node 20.19 or newer and this is ${process.versions.node}: get one from https://nodejs.org.`,
    );
  }
  if (process.platform === 'win32')
    throw new Failed('Jobline runs on Linux and macOS: on Windows, start it inside WSL.');
}
