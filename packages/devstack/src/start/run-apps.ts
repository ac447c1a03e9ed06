import { join } from 'node:path';
import { spawnChild } from '../processes/child.js';
import { createRestartable, keepRunning, type Restartable } from '../processes/restartable.js';
import { showWarnings } from './app-log.js';
import { type Context, logOf, ROOT } from './context.js';

/** The scripts of the two apps. */
export interface Apps {
  api: string;
  worker: string;
}

/**
 * Starts both apps and keeps them running. Resolves when the API is ready. Throws, with the end of the log, if an app
 * ends before, because a restart would not help.
 */
export async function runApps(context: Context, scripts: Apps, shared: NodeJS.ProcessEnv): Promise<void> {
  const { settings, terminal, stop, apps } = context;
  const { PORT: _, HOST: __, ...workerEnv } = shared;
  // The mails of the service itself are in no message history. Without this folder, password reset links would be
  // unreadable.
  const mailDir = shared.EMAIL_SANDBOX_DIR || join(settings.dataDir, 'mail');
  const apiEnv = { ...shared, PORT: String(settings.port), HOST: settings.host, EMAIL_SANDBOX_DIR: mailDir };
  apps.push(createApp(context, 'api', scripts.api, apiEnv), createApp(context, 'worker', scripts.worker, workerEnv));
  await Promise.all(apps.map((app) => app.start()));
  for (const app of apps) {
    context.closers.push(showWarnings(app.name, app.logFile, terminal.warn));
    void keepRunning(app, terminal.warn, stop.stopping);
  }
}

function createApp(context: Context, name: string, script: string, env: NodeJS.ProcessEnv): Restartable {
  const { settings } = context;
  const logFile = logOf(context, name);
  const options = { env, cwd: ROOT, output: { file: logFile } };
  return createRestartable({
    name,
    logFile,
    launch: () => spawnChild(process.execPath, ['--enable-source-maps', script], options),
    isReady: () => isReady(`${settings.url}/readyz`),
  });
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
