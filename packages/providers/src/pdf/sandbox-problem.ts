import { execFile } from 'node:child_process';
import { BASE_ENV, type Chromium } from './find-chromium.js';
import { createProfileDir, removeProfileDir } from './profile-dir.js';

const START_TIMEOUT_MS = 30_000;
const ADVICE = 'or set CHROMIUM_SANDBOX=off, but then a vulnerability of the browser is a vulnerability of this worker';

/**
 * Why Chromium cannot start in its own sandbox here and what to do about it, as a sentence. Null if it starts, or if it
 * fails for another reason. Starts Chromium once with an empty page.
 */
export async function sandboxProblem({ path, env }: Chromium): Promise<string | null> {
  if (process.getuid?.() === 0) {
    return `Chromium refuses to run as root in its sandbox: run the worker as another user, ${ADVICE}`;
  }
  const profileDir = await createProfileDir();
  try {
    const stderr = await stderrOf(path, profileDir, { ...BASE_ENV, HOME: profileDir, ...env });
    if (!stderr.includes('No usable sandbox')) return null;
    return (
      "Chromium's sandbox cannot start here: allow unprivileged processes to create user namespaces " +
      `(in a container, a seccomp profile that allows clone and unshare), ${ADVICE}`
    );
  } finally {
    await removeProfileDir(profileDir);
  }
}

/** What Chromium writes to standard error. Its failure is an expected result. */
function stderrOf(path: string, profileDir: string, env: Record<string, string>): Promise<string> {
  const args = ['--headless', '--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${profileDir}`];
  return new Promise((resolve) => {
    execFile(
      path,
      [...args, '--dump-dom', 'about:blank'],
      { env, timeout: START_TIMEOUT_MS, killSignal: 'SIGKILL' },
      (_error, _stdout, output) => resolve(output),
    );
  });
}
