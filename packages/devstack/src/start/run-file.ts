import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, watchChildren } from '../processes/child.js';
import { PlainError } from '../processes/plain-error.js';
import { findProcess, isRunning, type ProcessId } from '../processes/process-id.js';

/** The claim of one `npm start` on a DATA_DIR, and the list of the processes that it has started. */
export interface RunFile {
  setUrl(url: string): void;
  release(): void;
}

interface Run {
  supervisor: ProcessId;
  url: string;
  started: readonly ProcessId[];
}

/**
 * Claims the DATA_DIR for this process. Throws PlainError if another running process has claimed it. Ends the processes
 * that a dead one has left running, which it recognizes by process id and start time.
 */
export async function claimDataDir(dir: string, say: (line: string) => void): Promise<RunFile> {
  const file = join(dir, 'run.json');
  const draft = join(dir, `run.json.${process.pid}`);
  const supervisor = findProcess(process.pid) ?? { pid: process.pid, started: '' };
  const run: Run = { supervisor, url: '', started: [] };
  const writeDraft = () => writeFileSync(draft, JSON.stringify(run), { mode: 0o600 });

  writeDraft();
  while (!tryLink(draft, file)) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const holder = parseRun(text);
    if (holder && isRunning(holder.supervisor)) {
      rmSync(draft, { force: true });
      const address = holder.url && ` at ${holder.url}`;
      throw new PlainError(
        `Jobline is already running from ${dir} (process ${holder.supervisor.pid}${address}): stop it, or use another DATA_DIR.`,
      );
    }
    const orphans = holder?.started.filter(isRunning) ?? [];
    if (orphans.length > 0) say(`Ending ${orphans.length} processes that an earlier start left behind …`);
    for (const orphan of orphans.toReversed()) await endProcess(orphan);
    // Another start may have claimed the folder in the meantime.
    if (existsSync(file) && readFileSync(file, 'utf8') === text) rmSync(file);
  }

  rmSync(draft); // the run file is a link to it, and must not change in place
  const update = (change: Partial<Run>) => {
    Object.assign(run, change);
    writeDraft();
    renameSync(draft, file); // atomic: a reader never sees half a file
  };
  watchChildren((started) => update({ started }));
  return {
    setUrl: (url) => update({ url }),
    release() {
      watchChildren(() => undefined);
      rmSync(file, { force: true });
    },
  };
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Null if the text is not that of a run file. */
function parseRun(text: string): Run | null {
  try {
    const { supervisor, url, started }: Partial<Run> = JSON.parse(text); // the fields are checked here
    return supervisor && Array.isArray(started) ? { supervisor, url: url ?? '', started } : null;
  } catch {
    return null; // not JSON
  }
}
