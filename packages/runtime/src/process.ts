import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { setFlagsFromString } from 'node:v8';

/**
 * Calls `stop` at the first SIGTERM or SIGINT, or when the parent that started this process over IPC has gone. Exits
 * with 0 when `stop` has resolved, with 1 when it rejected or took longer than `limitMs`. A second signal exits at
 * once, or calls `hurry.stop`, after which `stop` gets only `hurry.limitMs` more; then a third one exits at once. Only main.ts
 * calls it: no package installs a signal handler.
 */
export function stopOnSignal(
  stop: (reason: string) => Promise<void>,
  limitMs: number,
  report: (error: unknown) => void,
  hurry?: { stop: () => void; limitMs: number },
): void {
  let signals = 0;
  const exitAfter = (ms: number) =>
    void setTimeout(() => {
      report(new Error(`stopping took longer than ${ms} ms`));
      process.exit(1);
    }, ms).unref();
  const begin = (reason: string) => {
    signals++;
    if (signals > (hurry ? 2 : 1)) process.exit(1);
    exitAfter(hurry && signals === 2 ? hurry.limitMs : limitMs);
    if (signals === 2) return hurry?.stop();
    stop(reason).then(
      () => process.exit(0),
      (error) => {
        report(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', begin);
  process.on('SIGINT', begin);
  process.once('disconnect', () => begin('disconnect'));
}

/** Another process uses the port; the configuration itself may be valid. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/**
 * Binds a server to a port and returns the port, which the system chooses if 0 was requested. `setting` is the name of
 * its variable. Throws PortTaken.
 */
export async function listen(
  server: Server,
  { host, port, setting }: { host: string; port: number; setting: string },
): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    // once() rejects with the server's own error.
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new PortTaken(`Port ${port} on ${host} is used by another process: stop that process or set ${setting}.`);
    }
    throw error;
  }
  return (server.address() as AddressInfo).port; // not a pipe: the server has a port
}

const HEAP_GROWTH_PERCENT = 30;

/**
 * Lets the heap of this process grow by 30 % of the objects in use until V8 collects garbage among the old objects. By
 * default it can grow to four times that size, which under load is twice the memory of the whole process.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}
