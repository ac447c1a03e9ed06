import { execFile } from 'node:child_process';
import { BASE_ENV, type Chromium } from './find-chromium.js';
import { createProfileDir, removeProfileDir } from './profile-dir.js';

const START_TIMEOUT_MS = 30_000;
const ADVICE = 'or set CHROMIUM_SANDBOX=off, with which a vulnerability of the browser is one of this worker';

/**
 * Why this Chromium does not start in its own sandbox here and what to do about it, in a sentence; null if it starts, or
 * fails for another reason. Starts it once with an empty page.
 */
export async function sandboxProblem({ path, env }: Chromium): Promise<string | null> {
  if (process.getuid?.() === 0) {
    return `Chromium refuses to run as root in its sandbox: run the worker as another user, ${ADVICE}`;
  }
  const profileDir = await createProfileDir();
  try {
    const complaints = await complaintsOf(path, profileDir, { ...BASE_ENV, HOME: profileDir, ...env });
    if (!complaints.includes('No usable sandbox')) return null;
    return (
      "Chromium's sandbox cannot start here: let unprivileged processes make user namespaces " +
      `(in a container, a seccomp profile that allows clone and unshare), ${ADVICE}`
    );
  } finally {
    await removeProfileDir(profileDir);
  }
}

/** What it writes to standard error. That it fails is an answer, too. */
function complaintsOf(path: string, profileDir: string, env: Record<string, string>): Promise<string> {
  const args = ['--headless', '--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${profileDir}`];
  return new Promise((resolve) => {
    execFile(
      path,
      [...args, '--dump-dom', 'about:blank'],
      { env, timeout: START_TIMEOUT_MS, killSignal: 'SIGKILL' },
      (_error, _stdout, stderr) => resolve(stderr),
    );
  });
}
