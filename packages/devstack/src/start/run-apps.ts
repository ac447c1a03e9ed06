import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeExit } from '../processes/child.js';
import { tailOf } from '../processes/log-file.js';
import { PlainError } from '../processes/plain-error.js';
import { keepRunning } from '../processes/supervise.js';
import type { Startable } from '../servers/server.js';
import { createApp } from './app.js';
import { showTroubles } from './app-log.js';
import { type Context, logOf, onSpawn } from './context.js';

/** The scripts of the two apps. */
export interface Apps {
  api: string;
  worker: string;
}

/**
 * Starts both and keeps them running; resolves once the API answers. An app that ends before that has a fault which a
 * restart would not mend: then this throws, with its last words.
 */
export async function runApps(context: Context, apps: Apps, shared: NodeJS.ProcessEnv): Promise<void> {
  const { settings, root, terminal, running, stop } = context;
  const { PORT: _, HOST: __, ...workerEnv } = shared;
  // What the service itself mails is in no history: without this, nobody could follow a link to a new password.
  const mailDir = shared.EMAIL_SANDBOX_DIR || join(settings.dataDir, 'mail');
  const apiEnv = { ...shared, PORT: String(settings.port), HOST: settings.host, EMAIL_SANDBOX_DIR: mailDir };
  const both = [
    { name: 'api', main: apps.api, env: apiEnv },
    { name: 'worker', main: apps.worker, env: workerEnv },
  ].map(({ name, main, env }) => {
    const logFile = logOf(context, name);
    return { logFile, app: createApp({ name, main, env, logFile, cwd: root, onSpawn: onSpawn(context) }) };
  });
  for (const { app } of both) {
    await app.start();
    running.apps.push({ stop: (hurry) => app.stop(hurry) });
  }
  const faults = both.map(({ app, logFile }) => failAtExit(app, logFile));
  await Promise.race([untilReady(settings.url, stop.stopping), ...faults]);
  for (const { app, logFile } of both) running.closers.push(showTroubles(app.name, logFile, terminal.complain).stop);
  running.apps = both.map(({ app }) => keepRunning(app, terminal.complain));
}

async function failAtExit(app: Startable, logFile: string): Promise<never> {
  const exit = await app.exited();
  throw new PlainError(
    `The ${app.name} ended while starting (${describeExit(exit)}). The end of ${logFile}:\n${tailOf(logFile).trimEnd()}`,
  );
}

const READY_LIMIT_MS = 60_000;

async function untilReady(url: string, stopping: AbortSignal): Promise<void> {
  for (const until = performance.now() + READY_LIMIT_MS; performance.now() < until; ) {
    if (await isReady(`${url}/readyz`)) return;
    await sleep(50, undefined, { signal: stopping });
  }
  throw new PlainError(`${url}/readyz did not answer 200 within ${READY_LIMIT_MS / 1000} s.`);
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
