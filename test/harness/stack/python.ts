import { spawnSync } from 'node:child_process';
import { ensureInstalled, type InstallOptions, reasonOf } from '@jobline/devstack';

const PYTHON = {
  name: 'Python',
  find: () => (spawnSync('python3', ['--version'], { timeout: 10_000 }).status === 0 ? 'python3' : undefined),
  packages: { 'apt-get': ['python3'], apk: ['python3'], dnf: ['python3'], brew: ['python3'] },
  manually: 'install Python 3.9 or newer',
  otherwise: 'put `python3` on the PATH',
};

/** Installs Python if it is missing and that needs no question. Otherwise warns: only a few tests need it. */
export async function ensurePython(options: InstallOptions & { warn(line: string): void }): Promise<void> {
  try {
    await ensureInstalled(PYTHON, options);
  } catch (error) {
    options.warn(`${reasonOf(error)}\nWithout Python, the tests of the receivers of events and of terminals fail.`);
  }
}
