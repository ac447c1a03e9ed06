import { readdirSync, readFileSync } from 'node:fs';

const EVERY_MS = 50;

/** Measures the maximum memory of processes with their children, as the limit of a container counts it. */
export function watchMemory(pids: Readonly<Record<string, number>>): { stop(): Record<string, number> } {
  const highestMiB: Record<string, number> = {};
  const look = () => {
    const processes = listProcesses();
    for (const [name, pid] of Object.entries(pids))
      highestMiB[name] = Math.max(highestMiB[name] ?? 0, residentMiB(pid, processes));
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

interface ProcessFacts {
  parent: number;
  residentKib: number;
}

function listProcesses(): Map<number, ProcessFacts> {
  const found = new Map<number, ProcessFacts>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const status = readStatus(name);
    const number = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    if (status) found.set(Number(name), { parent: number('PPid'), residentKib: number('VmRSS') });
  }
  return found;
}

/** Returns an empty text if the process has ended. */
function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

function residentMiB(root: number, processes: ReadonlyMap<number, ProcessFacts>): number {
  let kib = processes.get(root)?.residentKib ?? 0;
  for (const [pid, { parent }] of processes) if (parent === root) kib += residentMiB(pid, processes) * 1024;
  return kib / 1024;
}
