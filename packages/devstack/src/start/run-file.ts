import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGuard } from '../processes/child.js';
import { identify, isRunning, type ProcessId, untilEnded } from '../processes/process-id.js';
import { PlainError } from '../processes/terminal.js';

/** The content of the file by which one `npm start` claims a DATA_DIR. */
interface Run {
  supervisor: ProcessId;
  /** Runs until everything that the supervisor has started has ended. */
  guard: ProcessId;
  url: string;
}

const ORPHANS_LIMIT_MS = 60_000;

/**
 * Claims the DATA_DIR for this process. Throws PlainError if another running process has claimed it. Waits until what a
 * dead one has left running has ended. Returns a function that releases it.
 */
export async function claimDataDir(dir: string, url: string, say: (line: string) => void): Promise<() => void> {
  const file = join(dir, 'run.json');
  const holder = readRun(file);
  if (holder && isRunning(holder.supervisor))
    throw new PlainError(
      `Jobline is already running from ${dir} (process ${holder.supervisor.pid} at ${holder.url}): stop it, or use another DATA_DIR.`,
    );
  if (holder && isRunning(holder.guard)) {
    say('Waiting for the processes of an earlier start to end …');
    await untilEnded(holder.guard, ORPHANS_LIMIT_MS);
  }
  const run: Run = { supervisor: identify(process.pid), guard: startGuard().id, url };
  // Renamed, so that another start never reads a part of it.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(run), { mode: 0o600 });
  renameSync(draft, file);
  return () => rmSync(file, { force: true });
}

/** Null if there is no file, or one of another version. */
function readRun(file: string): Run | null {
  try {
    const { supervisor, guard, url }: Partial<Run> = JSON.parse(readFileSync(file, 'utf8')); // checked here
    return supervisor && guard && url ? { supervisor, guard, url } : null;
  } catch {
    return null; // not there, or not JSON
  }
}
