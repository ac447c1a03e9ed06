import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess } from '../processes/child.js';
import { PlainError } from '../processes/plain-error.js';
import { currentBoot, findProcess, isRunning, type ProcessId } from '../processes/processes.js';

/** The mark of the one supervisor that uses a DATA_DIR, and the list of what it has started. */
export interface RunFile {
  /** Names a process as ours, before anything else can happen. */
  add(process: ProcessId): void;
  setUrl(url: string): void;
  /** Ends whatever of the list still runs. */
  endAll(): Promise<void>;
  release(): void;
}

interface Run {
  boot: string;
  supervisor: ProcessId;
  url: string;
  started: ProcessId[];
}

/**
 * Takes the DATA_DIR for this process. Throws if another one that is alive has it. What a dead one left running is
 * ended first: only processes on its list whose start time agrees, never a stranger with the same id.
 */
export async function claimDataDir(dir: string, say: (line: string) => void): Promise<RunFile> {
  const file = join(dir, 'run.json');
  const draft = join(dir, `run.json.${process.pid}`);
  const supervisor = findProcess(process.pid) ?? { pid: process.pid, started: '' };
  const run: Run = { boot: currentBoot(), supervisor, url: '', started: [] };
  const save = (place: (draft: string, file: string) => void) => {
    writeFileSync(draft, JSON.stringify(run), { mode: 0o600 });
    place(draft, file); // whole or not at all
  };

  while (!tryTo(() => save(linkSync), 'EEXIST')) {
    const holder = readRun(file);
    if (holder && isAlive(holder)) {
      rmSync(draft, { force: true });
      const address = holder.url ? ` at ${holder.url}` : '';
      throw new PlainError(
        `Jobline is already running from ${dir} (process ${holder.supervisor.pid}${address}): stop it, or give another DATA_DIR.`,
      );
    }
    if (holder) await endLeftOvers(holder, say);
    removeIfDead(file);
  }
  rmSync(draft);

  return {
    add(process) {
      run.started = [...run.started.filter(isRunning), process];
      save(renameSync);
    },
    setUrl(url) {
      run.url = url;
      save(renameSync);
    },
    endAll: () => endAll(run.started.filter(isRunning)),
    release: () => rmSync(file, { force: true }),
  };
}

async function endLeftOvers(run: Run, say: (line: string) => void): Promise<void> {
  const left = run.boot === currentBoot() ? run.started.filter(isRunning) : [];
  if (left.length === 0) return;
  say(`Ending ${left.length} ${left.length === 1 ? 'process' : 'processes'} that an earlier start left behind …`);
  await endAll(left);
}

/** The interrupt asks all of them, Postgres included, to end now and in order; the last started first. */
async function endAll(processes: ProcessId[]): Promise<void> {
  for (const process of processes.toReversed()) await endProcess(process, 'SIGINT', 8_000);
}

function isAlive(run: Run): boolean {
  return run.boot === currentBoot() && isRunning(run.supervisor);
}

/** Another start may have taken the file over since we looked: then it is put back. */
function removeIfDead(file: string): void {
  const aside = `${file}.${process.pid}.old`;
  if (!tryTo(() => renameSync(file, aside), 'ENOENT')) return;
  const run = readRun(aside);
  if (run && isAlive(run)) tryTo(() => linkSync(aside, file), 'EEXIST');
  rmSync(aside, { force: true });
}

/** Null if it is not there, or was not written by us. */
function readRun(file: string): Run | null {
  if (!existsSync(file)) return null;
  try {
    const run: Partial<Run> = JSON.parse(readFileSync(file, 'utf8')); // fields are looked at before use
    const { boot, supervisor, url, started } = run;
    return typeof boot === 'string' && supervisor && Array.isArray(started)
      ? { boot, supervisor, url: url ?? '', started }
      : null;
  } catch (error) {
    if (error instanceof SyntaxError || !existsSync(file)) return null;
    throw error;
  }
}

function tryTo(act: () => void, expected: string): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === expected) return false;
    throw error;
  }
}
