/** Work that continues after the response of its request. The process waits for it before it closes its connections. */
export interface Background {
  /** `work` must not reject: only the end of the process awaits it. */
  run(work: Promise<void>): void;
  /** Resolves when no work is running. */
  settled(): Promise<void>;
}

export function createBackground(): Background {
  const running = new Set<Promise<void>>();
  return {
    run(work) {
      running.add(work);
      void work.finally(() => running.delete(work));
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
