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
  const bar = new SingleBar({ format, stream: io.stderr, barCompleteChar: '=', barIncompleteChar: ' ', barsize: 30 });
  bar.start(total ?? 0, 0);
  return {
    update: (done) => bar.update(done),
    stop: () => bar.stop(),
  };
}
