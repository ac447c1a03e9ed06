/** Work that goes on after its request is answered. The process waits for it before it closes its connections. */
export interface Background {
  /** `work` must not reject: nobody awaits it but the end of the process. */
  run(work: Promise<void>): void;
  /** Resolves when nothing is under way. */
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
