import { type FSWatcher, watch } from 'node:fs';

/** Several files are often written at the same time. */
const QUIET_MS = 300;
/** Files of packages and hidden files, at any depth. */
const IGNORED = /(^|[/\\])(node_modules|\.[^/\\]*)([/\\]|$)/;

/**
 * Calls `onChange` after files below the folders of HANDLERS_DIR have changed. Returns a function that stops. A folder that
 * cannot be watched is left out: the worker reports one that does not exist.
 */
export function watchHandlers(dirs: string | undefined, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = (dirs?.split(',') ?? []).flatMap((dir): FSWatcher[] => {
    try {
      return [
        watch(dir, { recursive: true }, (_event, path) => {
          if (path !== null && IGNORED.test(path)) return;
          clearTimeout(timer);
          timer = setTimeout(onChange, QUIET_MS);
        }),
      ];
    } catch {
      return []; // it does not exist
    }
  });
  for (const watcher of watchers) watcher.on('error', () => watcher.close());
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
