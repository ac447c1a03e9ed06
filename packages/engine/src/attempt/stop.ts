/**
 * Stops a run: because of its time limit, an interruption or a cancellation. Its AbortSignal is created only for a handler
 * that asks for it. To create one takes as long as the rest of a short run.
 */
export interface Stop {
  /** The reason of the first call of `fire`. Null: it has not fired. */
  reason(): Error | null;
  fire(reason: Error): void;
  /** The listener is called when it fires, or at once if it has fired already. */
  onFire(listener: () => void): void;
  signal(): AbortSignal;
}

export function createStop(): Stop {
  let reason: Error | null = null;
  let controller: AbortController | null = null;
  const listeners: (() => void)[] = [];
  return {
    reason: () => reason,
    fire(error) {
      if (reason) return;
      reason = error;
      controller?.abort(reason);
      for (const listener of listeners) listener();
    },
    onFire(listener) {
      if (reason) listener();
      else listeners.push(listener);
    },
    signal() {
      if (!controller) {
        controller = new AbortController();
        if (reason) controller.abort(reason);
      }
      return controller.signal;
    },
  };
}
