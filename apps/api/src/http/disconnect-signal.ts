import type { ServerResponse } from 'node:http';

/** A signal that fires when the connection is closed before the complete response was sent. */
export function disconnectSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const onClose = () => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.closed) onClose();
  else res.once('close', onClose);
  return controller.signal;
}
