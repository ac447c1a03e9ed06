import { join } from 'node:path';
import { beginLog } from '../processes/log-file.js';
import { type ProcessId, signalIfRunning } from '../processes/processes.js';
import type { StopRequests } from '../processes/stop-requests.js';
import type { Kept } from '../processes/supervise.js';
import type { Terminal } from '../processes/terminal.js';
import type { RunFile } from './run-file.js';
import type { Settings } from './settings.js';

/** What one `npm start` works with. */
export interface Context {
  settings: Settings;
  env: NodeJS.ProcessEnv;
  root: string;
  terminal: Terminal;
  runFile: RunFile;
  stop: StopRequests;
  running: Running;
}

/** What is to be stopped, in this order. */
export interface Running {
  apps: Kept[];
  servers: Kept[];
  closers: (() => void)[];
}

/** A fresh log file for one process of this start. */
export function logOf({ settings }: Context, name: string): string {
  return beginLog(join(settings.dataDir, 'logs', `${name}.log`));
}

/** Puts a process on the list in the moment in which it comes to be, or ends it at once if we are stopping already. */
export function onSpawn({ runFile, stop }: Context): (process: ProcessId) => void {
  return (process) => {
    if (stop.stopping.aborted) signalIfRunning(-process.pid, 'SIGKILL');
    else runFile.add(process);
  };
}
