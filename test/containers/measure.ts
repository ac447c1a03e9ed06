import { readFileSync } from 'node:fs';
import { until } from '../harness/index.js';
import type { Podman } from './podman.js';
import type { Stack } from './stack.js';

/** The memory of all processes of a container in MiB, where shared memory counts once. */
export async function memoryMiB(podman: Podman, name: string): Promise<number> {
  const pids = (await podman.run('top', name, 'hpid')).split('\n').slice(1);
  const kib = pids.map((pid) => Number(/^Pss:\s+(\d+) kB/m.exec(smaps(pid.trim()))?.[1] ?? 0));
  return Math.round(kib.reduce((sum, one) => sum + one, 0) / 1024);
}

function smaps(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  } catch {
    return ''; // the process has ended
  }
}

/** Stops a container and starts it. Returns the time from its start until `/readyz` of the port is 200, in seconds. */
export async function secondsToReady({ podman, stack }: { podman: Podman; stack: Stack }, name: string, port: number) {
  await podman.run('stop', name);
  const startedAt = performance.now();
  await podman.run('start', name);
  const url = `http://${await stack.addressOf(name)}:${port}/readyz`;
  await until(`${name} to be ready`, () => isOk(url));
  return Math.round((performance.now() - startedAt) / 100) / 10;
}

export function isOk(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** The size of an image in megabytes. */
export async function sizeMb(podman: Podman, image: string): Promise<number> {
  return Math.round(Number(await podman.run('image', 'inspect', '--format', '{{.Size}}', image)) / 1e6);
}
