import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PlainError, reasonOf } from '../processes/plain-error.js';
import { listenForStop } from '../processes/stop-requests.js';
import { createTerminal } from '../processes/terminal.js';
import type { Running } from './context.js';
import type { Apps } from './run-apps.js';
import { claimDataDir } from './run-file.js';
import { runJobline } from './run-jobline.js';
import { readSettings } from './settings.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

export interface StartOptions {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  /** The scripts of the two apps, if not Jobline's own. */
  apps?: Apps;
}

/**
 * `npm start`: Postgres, Redis, the API, a worker and the demo, in the foreground until somebody stops it. Whatever
 * happens, nothing that it started is left when it resolves. Resolves with the exit code.
 */
export async function start({ argv, env, apps = OWN_APPS }: StartOptions): Promise<number> {
  const terminal = createTerminal(process.stdout, env);
  const stop = listenForStop(env);
  let code = 0;
  const fail = (error: unknown) => {
    code = 1;
    terminal.say(terminal.red(forPerson(error)));
    stop.request();
  };
  process.on('uncaughtException', fail);
  try {
    const settings = readSettings(argv, env, ROOT);
    mkdirSync(settings.dataDir, { recursive: true });
    const runFile = await claimDataDir(settings.dataDir, terminal.say);
    const running: Running = { apps: [], servers: [], closers: [] };
    const work = runJobline({ settings, env, root: ROOT, terminal, runFile, stop, running }, apps);
    try {
      const isFine = await Promise.race([work, stop.requested.then(() => true)]);
      if (!isFine && settings.once) code = 1;
      if (!settings.once) await stop.requested;
    } catch (error) {
      if (!stop.stopping.aborted) fail(error);
    } finally {
      if (stop.stopping.aborted && code === 0) terminal.say('\nStopping …');
      stop.request(); // from here on nothing is started, whichever way we came
      await stopAll(running, stop.hurry);
      await runFile.endAll(); // what was on its way up when we were stopped
      await Promise.race([Promise.allSettled([work]), sleep(2_000)]);
      runFile.release();
    }
  } catch (error) {
    fail(error);
  } finally {
    process.off('uncaughtException', fail);
    stop.dispose();
  }
  return code;
}

async function stopAll({ apps, servers, closers }: Running, hurry: AbortSignal): Promise<void> {
  await Promise.all(apps.map((app) => app.stop(hurry)));
  await Promise.all(servers.map((server) => server.stop(hurry)));
  for (const close of closers) close();
}

const OWN_APPS: Apps = {
  api: join(ROOT, 'apps/api/dist/main.js'),
  worker: join(ROOT, 'apps/worker/dist/main.js'),
};

function forPerson(error: unknown): string {
  if (error instanceof PlainError) return error.message;
  const isAboutFile = error instanceof Error && 'path' in error;
  return isAboutFile ? reasonOf(error) : error instanceof Error ? String(error.stack) : String(error);
}
