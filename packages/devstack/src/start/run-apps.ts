import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnChild } from '../processes/child.js';
import { beginLog, followLog } from '../processes/log-file.js';
import { createRestartable, keepRunning, type Restartable } from '../processes/restartable.js';
import { reasonOf, type StopRequests, type Terminal } from '../processes/terminal.js';
import type { Options } from './options.js';
import { watchHandlers } from './watch-handlers.js';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The scripts of the two apps. */
export const OWN_APPS = { api: join(ROOT, 'apps/api/dist/main.js'), worker: join(ROOT, 'apps/worker/dist/main.js') };
export type Apps = typeof OWN_APPS;

/** The state of one `npm start`. */
export interface Context {
  options: Options;
  env: NodeJS.ProcessEnv;
  terminal: Terminal;
  stop: StopRequests;
  /** They stop before the servers. */
  apps: Restartable[];
  /** Called after the apps have stopped. */
  closers: (() => void)[];
}

/** Begins the log file of one process. */
export function logOf({ options }: Context, name: string): string {
  return beginLog(join(options.dataDir, 'logs', `${name}.log`));
}

/**
 * Starts both apps and keeps them running. Resolves when the API is ready. Throws, with the end of the log, if an app
 * ends before, because a restart would not help.
 */
export async function runApps(context: Context, scripts: Apps, shared: NodeJS.ProcessEnv): Promise<void> {
  const { options, terminal, stop, apps } = context;
  const { PORT: _, HOST: __, ...workerEnv } = shared;
  // The mails of the service itself are in no message history. Without this folder, password reset links would be
  // unreadable.
  const mailDir = shared.EMAIL_SANDBOX_DIR || join(options.dataDir, 'mail');
  const apiEnv = { ...shared, PORT: String(options.port), HOST: options.host, EMAIL_SANDBOX_DIR: mailDir };
  apps.push(createApp(context, 'api', scripts.api, apiEnv), createApp(context, 'worker', scripts.worker, workerEnv));
  await Promise.all(apps.map((app) => app.start()));
  const noticeNone = (error: unknown) =>
    terminal.warn(`Changes in HANDLERS_DIR are not noticed (${reasonOf(error)}): start again after a change.`);
  context.closers.push(await watchHandlers(options.handlersDir, () => restartWorker(context), noticeNone));
  for (const app of apps) {
    context.closers.push(showWarnings(app.name, app.logFile, terminal.warn));
    void keepRunning(app, terminal.warn, stop.stopping);
  }
}

/** A worker that has stopped is started again, with the changed handlers. */
function restartWorker({ apps, terminal }: Context): void {
  terminal.say('A file of HANDLERS_DIR has changed.');
  void apps.find(({ name }) => name === 'worker')?.stop();
}

function createApp(context: Context, name: string, script: string, env: NodeJS.ProcessEnv): Restartable {
  const logFile = logOf(context, name);
  const childOptions = { env, cwd: ROOT, output: { file: logFile } };
  return createRestartable({
    name,
    logFile,
    launch: () => spawnChild(process.execPath, ['--enable-source-maps', script], childOptions),
    isReady: () => isReady(`${context.options.url}/readyz`),
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

/** More lines at a time are only in the file. */
const MAX_SHOWN = 4;
const MAX_LENGTH = 300;

/** Prints the warnings and errors of an app as they are written to its log. Returns a function that stops. */
function showWarnings(name: string, file: string, warn: (line: string) => void): () => void {
  return followLog(file, (lines) => {
    const warnings = lines.flatMap((line) => toWarning(line) ?? []);
    for (const warning of warnings.slice(0, MAX_SHOWN)) warn(`${name} ${warning}`);
    if (warnings.length > MAX_SHOWN) warn(`${name} … and ${warnings.length - MAX_SHOWN} more in ${file}`);
  });
}

/** One readable line, or null if the line needs no attention. A line that is not of the logger comes from a crash. */
export function toWarning(line: string): string | null {
  const entry = parseEntry(line);
  if (!entry) return shorten(line);
  const { level, message, error, timestamp: _, app: __, ...fields } = entry;
  if (level !== 'warn' && level !== 'error') return null;
  const cause = isRecord(error) ? ` (${String(error.message)})` : '';
  const rest = Object.entries(fields).flatMap(([key, value]) => (isRecord(value) ? [] : [`${key}=${String(value)}`]));
  return shorten([`${level}: ${String(message)}${cause}`, ...rest].join(' '));
}

function parseEntry(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && 'level' in value ? value : null;
  } catch {
    return null; // not JSON
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shorten(line: string): string | null {
  const text = line.trim().replace(/\s+/g, ' ');
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text || null;
}
