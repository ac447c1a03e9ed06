import { execFile } from 'node:child_process';
import { BASE_ENV, type Chromium } from './find-chromium.js';
import { NoChromium } from './no-chromium.js';
import { createProfileDir, removeProfileDir } from './profile-dir.js';

const START_TIMEOUT_MS = 30_000;
const MAX_OUTPUT_CHARS = 500;
const ADVICE = 'or set CHROMIUM_SANDBOX=off, but then a vulnerability of the browser is a vulnerability of this worker';

/**
 * Starts Chromium once with an empty page. Returns NoChromium if its sandbox cannot start here, an error with the
 * output of Chromium if it does not start for another reason, and null if it starts.
 */
export async function findStartError(
  { path, env }: Chromium,
  { isSandboxed }: { isSandboxed: boolean },
): Promise<Error | null> {
  if (isSandboxed && process.getuid?.() === 0) {
    return new NoChromium(`Chromium refuses to run as root in its sandbox: run the worker as another user, ${ADVICE}`);
  }
  const profileDir = await createProfileDir();
  try {
    const args = [`--user-data-dir=${profileDir}`, ...(isSandboxed ? [] : ['--no-sandbox'])];
    const { hasStarted, stderr } = await start(path, args, { ...BASE_ENV, HOME: profileDir, ...env });
    if (hasStarted) return null;
    if (!isSandboxed || !stderr.includes('No usable sandbox')) {
      return new Error(`Chromium does not start; the end of its output: ${stderr.trim().slice(-MAX_OUTPUT_CHARS)}`);
    }
    return new NoChromium(
      "Chromium's sandbox cannot start here: allow unprivileged processes to create user namespaces " +
        `(in a container, a seccomp profile that allows clone and unshare), ${ADVICE}`,
    );
  } finally {
    await removeProfileDir(profileDir);
  }
}

/** Whether Chromium prints an empty page, and what it writes to standard error. */
function start(
  path: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ hasStarted: boolean; stderr: string }> {
  const usual = ['--headless', '--disable-gpu', '--disable-dev-shm-usage', '--dump-dom'];
  const limits = { timeout: START_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile(path, [...usual, ...args, 'about:blank'], { env, ...limits }, (error, _stdout, stderr) =>
      resolve({
        hasStarted: error === null,
        stderr: error?.killed ? `${stderr}\nended after ${START_TIMEOUT_MS / 1_000} s` : stderr,
      }),
    );
  });
}
