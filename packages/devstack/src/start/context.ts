import { join } from 'node:path';
import { beginLog } from '../processes/log-file.js';
import type { StopRequests } from '../processes/stop-requests.js';
import type { Terminal } from '../processes/terminal.js';
import type { RunFile } from './run-file.js';
import type { Settings } from './settings.js';

/** The state of one `npm start`. */
export interface Context {
  settings: Settings;
  env: NodeJS.ProcessEnv;
  root: string;
  terminal: Terminal;
  runFile: RunFile;
  stop: StopRequests;
  /** Called first at the end, then those of the servers, then the closers. */
  stopApps: ((hurry: AbortSignal) => Promise<void>)[];
  stopServers: ((hurry: AbortSignal) => Promise<void>)[];
  closers: (() => void)[];
}

/** Begins the log file of one process. */
export function logOf({ settings }: Context, name: string): string {
  return beginLog(join(settings.dataDir, 'logs', `${name}.log`));
}
