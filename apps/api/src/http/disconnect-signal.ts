import type { ServerResponse } from 'node:http';

/** A signal that fires when the connection is closed before the answer was sent whole. */
export function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const onClose = () => {
    if (!res.writableFinished) gone.abort();
  };
  if (res.closed) onClose();
  else res.once('close', onClose);
  return gone.signal;
}
