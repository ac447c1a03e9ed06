import { type Child, endChild, spawnChild } from '../processes/child.js';
import type { ProcessId } from '../processes/processes.js';
import type { Startable } from '../servers/server.js';

/** An app drains what it runs for 30 s after it was asked to stop. */
const STOP_LIMIT_MS = 35_000;

export interface AppOptions {
  name: string;
  /** The script that Node runs. */
  main: string;
  env: NodeJS.ProcessEnv;
  logFile: string;
  cwd: string;
  onSpawn(process: ProcessId): void;
}

/** One of Jobline's own processes. It notices our death by its IPC channel and stops in good order then. */
export function createApp({ name, main, env, logFile, cwd, onSpawn }: AppOptions): Startable {
  let child: Child | undefined;
  return {
    name,
    async start() {
      const args = ['--enable-source-maps', main];
      child = await spawnChild(process.execPath, args, { env, cwd, output: { file: logFile }, ipc: true, onSpawn });
    },
    exited: async () => (child ? child.exited : { code: null, signal: null }),
    async stop(hurry) {
      if (child) await endChild(child, 'SIGTERM', STOP_LIMIT_MS, hurry);
    },
  };
}
