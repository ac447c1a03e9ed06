import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { JoblineError } from '@jobline/client';
import { endChildren } from '../processes/child.js';
import { createTerminal, listenForStop, PlainError, reasonOf } from '../processes/terminal.js';
import { readOptions } from './options.js';
import { type Apps, type Context, OWN_APPS, ROOT } from './run-apps.js';
import { claimDataDir } from './run-file.js';
import { runJobline } from './run-jobline.js';

interface StartOptions {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  /** By default those of Jobline. */
  apps?: Apps;
}

/**
 * `npm start`: runs Postgres, Redis, the API, a worker and the demo in the foreground until it is stopped. Resolves
 * with the exit code. Whatever happens, no process that it started is left when it resolves.
 */
export async function start({ argv, env, apps = OWN_APPS }: StartOptions): Promise<number> {
  const terminal = createTerminal(argv.includes('--verbose'));
  const stop = listenForStop(env);
  let code = 0;
  const fail = (error: unknown) => {
    code = 1;
    terminal.say(styleText('red', explain(error)));
    stop.request();
  };
  process.on('uncaughtException', fail);
  try {
    const options = readOptions(argv, env, ROOT);
    mkdirSync(options.dataDir, { recursive: true });
    const release = await claimDataDir(options.dataDir, options.url, terminal.say);
    const context: Context = { options, env, terminal, stop, apps: [], closers: [] };
    const work = runJobline(context, apps).catch((error: unknown) => {
      if (!stop.stopping.aborted) fail(error);
    });
    const isGood = await Promise.race([work, stop.requested]);
    if (!options.once) await stop.requested;
    else if (isGood === false) code = 1;
    if (stop.stopping.aborted && code === 0) terminal.say('\nStopping …');
    stop.request(); // nothing is started from here on, for whatever reason we stop
    await Promise.all(context.apps.map((app) => app.stop()));
    for (const close of context.closers) close();
    await endChildren(); // the servers, and what was still starting
    await Promise.race([work, sleep(2_000)]);
    release();
  } catch (error) {
    fail(error);
  } finally {
    process.off('uncaughtException', fail);
    stop.dispose();
  }
  return code;
}

function explain(error: unknown): string {
  if (error instanceof PlainError || error instanceof JoblineError) return error.message;
  const isAboutFile = error instanceof Error && 'path' in error;
  return isAboutFile ? reasonOf(error) : error instanceof Error ? String(error.stack) : String(error);
}
