import { SingleBar } from 'cli-progress';
import type { App } from './app.js';

export interface Progress {
  update(done: number): void;
  stop(): void;
}

/** Shown on terminals only. Without a `total` it is a counter. */
export function startProgress({ io, out }: App, label: string, total: number | null): Progress {
  if (!out.isWatched) return { update: () => undefined, stop: () => undefined };
  const format = total === null ? `${label} {value}` : `${label} [{bar}] {value}/{total}`;
  const look = { barCompleteChar: '=', barIncompleteChar: ' ', barsize: 30 };
  // Otherwise lines would not wrap any more on a terminal on which Ctrl-C ended the command.
  const bar = new SingleBar({ ...look, format, stream: io.stderr, linewrap: true });
  bar.start(total ?? 0, 0);
  return {
    update: (done) => bar.update(done),
    stop: () => bar.stop(),
  };
}
