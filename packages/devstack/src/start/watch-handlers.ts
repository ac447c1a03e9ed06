import { relative } from 'node:path';
import { watch } from 'chokidar';

/** Several files are often written at the same time. */
const QUIET_MS = 300;
/** Files of packages and hidden files, at any depth. */
const IGNORED = /(^|[/\\])(node_modules|\.[^/\\]*)([/\\]|$)/;

/**
 * Calls `onChange` after files below the folders of HANDLERS_DIR have changed, and `onError` for a folder that cannot be watched. Resolves
 * with a function that stops, once every change is noticed.
 */
export async function watchHandlers(
  dirs: string | undefined,
  onChange: () => void,
  onError: (error: unknown) => void,
): Promise<() => void> {
  let timer: NodeJS.Timeout | undefined;
  const watchers = (dirs?.split(',') ?? []).map((dir) =>
    watch(dir, { ignoreInitial: true, ignored: (path) => IGNORED.test(relative(dir, path)) }),
  );
  for (const watcher of watchers) {
    watcher.on('all', () => {
      clearTimeout(timer);
      timer = setTimeout(onChange, QUIET_MS);
    });
  }
  await Promise.all(
    watchers.map(
      (watcher) =>
        new Promise<void>((resolve) => {
          watcher.once('ready', resolve);
          watcher.on('error', (error) => {
            onError(error);
            resolve();
          });
        }),
    ),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) void watcher.close();
  };
}
