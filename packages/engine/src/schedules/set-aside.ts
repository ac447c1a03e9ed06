/** Schedules that this process could not plan. It leaves them to other processes for a while. */
export interface SetAside {
  add(id: string): void;
  ids(): string[];
}

const FOR_MS = 10_000;
const MAX = 1_000;

export function createSetAside(): SetAside {
  const untilMs = new Map<string, number>();
  return {
    add(id) {
      if (untilMs.size >= MAX) untilMs.clear();
      untilMs.set(id, performance.now() + FOR_MS);
    },
    ids() {
      const now = performance.now();
      for (const [id, until] of untilMs) if (until <= now) untilMs.delete(id);
      return [...untilMs.keys()];
    },
  };
}
