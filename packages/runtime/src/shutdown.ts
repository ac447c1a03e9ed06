/**
 * Calls `stop` at the first SIGTERM or SIGINT, or when the parent that started this process over IPC has gone. Exits
 * with 0 when `stop` has resolved, with 1 when it rejected or took longer than `limitMs`. A second signal exits at
 * once. Only main.ts calls it: no package installs a signal handler.
 */
export function stopOnSignal(
  stop: (reason: string) => Promise<void>,
  limitMs: number,
  report: (error: unknown) => void,
): void {
  let stopping = false;
  const begin = (reason: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => {
      report(new Error(`stopping took longer than ${limitMs} ms`));
      process.exit(1);
    }, limitMs).unref();
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
