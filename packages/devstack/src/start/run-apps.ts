import { join } from 'node:path';
import { spawnChild } from '../processes/child.js';
import { createRestartable, keepRunning } from '../processes/restartable.js';
import { showWarnings } from './app-log.js';
import { type Context, logOf } from './context.js';

/** The scripts of the two apps. */
export interface Apps {
  api: string;
  worker: string;
}

/** An app finishes its running jobs for up to 30 s when it is asked to stop. */
const STOP_LIMIT_MS = 35_000;

/**
 * Starts both apps and keeps them running. Resolves when the API is ready. Throws, with the end of the log, if an app
 * ends before, because a restart would not help.
 */
export async function runApps(context: Context, apps: Apps, shared: NodeJS.ProcessEnv): Promise<void> {
  const { settings, root, terminal, stopApps, closers } = context;
  const { PORT: _, HOST: __, ...workerEnv } = shared;
  // The mails of the service itself are in no message history. Without this folder, password reset links would be
  // unreadable.
  const mailDir = shared.EMAIL_SANDBOX_DIR || join(settings.dataDir, 'mail');
  const apiEnv = { ...shared, PORT: String(settings.port), HOST: settings.host, EMAIL_SANDBOX_DIR: mailDir };
  const both = [
    { name: 'api', script: apps.api, env: apiEnv },
    { name: 'worker', script: apps.worker, env: workerEnv },
  ].map(({ name, script, env }) => {
    const logFile = logOf(context, name);
    const args = ['--enable-source-maps', script];
    const options = { env, cwd: root, output: { file: logFile }, atOurEnd: 'notify' } as const;
    const app = createRestartable({
      name,
      logFile,
      launch: () => spawnChild(process.execPath, args, options),
      isReady: () => isReady(`${settings.url}/readyz`),
      stopSignal: 'SIGTERM',
      stopLimitMs: STOP_LIMIT_MS,
    });
    return { name, logFile, app };
  });
  stopApps.push(...both.map(({ app }) => app.stop));
  await Promise.all(both.map(({ app }) => app.start()));
  for (const { name, logFile } of both) closers.push(showWarnings(name, logFile, terminal.warn));
  stopApps.splice(0, both.length, ...both.map(({ app }) => keepRunning(app, terminal.warn)));
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false; // not there yet
  }
}
