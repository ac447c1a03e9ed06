import { readdirSync, readFileSync } from 'node:fs';

const EVERY_MS = 50;
/** How often the share of a child process is read: reading it takes longer. */
const CHILDREN_EVERY = 10;

/** Measures the maximum memory of processes with their children, as the limit of a container counts it. */
export function watchMemory(pids: Readonly<Record<string, number>>): { stop(): Record<string, number> } {
  const highestMiB: Record<string, number> = {};
  let children = new Map<string, number>();
  let looks = 0;
  const look = () => {
    if (looks++ % CHILDREN_EVERY === 0) {
      const parents = readParents();
      children = new Map(Object.entries(pids).map(([name, pid]) => [name, sharesOfChildrenKib(pid, parents)]));
    }
    for (const [name, pid] of Object.entries(pids)) {
      const kib = readNumber(`/proc/${pid}/status`, 'VmRSS') + (children.get(name) ?? 0);
      highestMiB[name] = Math.max(highestMiB[name] ?? 0, kib / 1024);
    }
  };
  look();
  const timer = setInterval(look, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return highestMiB;
    },
  };
}

/** Maps each process to its parent. */
function readParents(): Map<number, number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(pids.map((pid) => [Number(pid), readNumber(`/proc/${pid}/status`, 'PPid')]));
}

/** The processes of a browser share most of their memory, so each counts with its proportional share. */
function sharesOfChildrenKib(root: number, parents: ReadonlyMap<number, number>): number {
  let kib = 0;
  for (const [pid, parent] of parents) {
    if (parent === root) kib += readNumber(`/proc/${pid}/smaps_rollup`, 'Pss') + sharesOfChildrenKib(pid, parents);
  }
  return kib;
}

/** Returns 0 if the process has ended. */
function readNumber(file: string, field: string): number {
  try {
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
