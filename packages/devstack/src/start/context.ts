import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beginLog } from '../processes/log-file.js';
import type { Restartable } from '../processes/restartable.js';
import type { StopRequests, Terminal } from '../processes/terminal.js';
import type { Options } from './options.js';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

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
