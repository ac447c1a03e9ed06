import { useEffect, useRef, useState } from 'react';
import { useServices } from '../services.js';
import type { StreamOptions, StreamState } from './streams.js';

/**
 * Follows a stream while the component is mounted. The callbacks may change between renders. With a null path there is
 * no stream.
 */
export function useStream(
  path: string | null,
  options: Pick<StreamOptions, 'onEvent' | 'onGap' | 'poll' | 'pollEveryMs'>,
): StreamState {
  const { streams } = useServices();
  const [state, setState] = useState<StreamState>('reconnecting');
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const { pollEveryMs } = options;
  useEffect(() => {
    if (path === null) return;
    return streams.open({
      path,
      pollEveryMs,
      onState: setState,
      onEvent: (event) => latest.current.onEvent(event),
      onGap: () => latest.current.onGap(),
      poll: () => latest.current.poll(),
    });
  }, [streams, path, pollEveryMs]);
  return state;
}
