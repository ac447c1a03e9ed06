import { useEffect, useState } from 'react';
import { useServices } from '../services.js';
import { useLatest } from '../ui/use-latest.js';
import type { StreamOptions, StreamState } from './streams.js';

interface FollowOptions extends Pick<StreamOptions, 'onEvent' | 'onGap' | 'poll' | 'pollEveryMs'> {
  /** The id of the job to follow. Default: all jobs of the organization. */
  job?: string;
  /** Default: true. */
  enabled?: boolean;
}

/** Follows a stream while the component is mounted. The callbacks may change between renders. */
export function useStream(options: FollowOptions): StreamState {
  const { streams } = useServices();
  const [state, setState] = useState<StreamState>('reconnecting');
  const latest = useLatest(options);
  const { job = null, enabled = true, pollEveryMs } = options;
  useEffect(() => {
    if (!enabled) return;
    return streams.open({
      job,
      pollEveryMs,
      onState: setState,
      onEvent: (event) => latest.current.onEvent(event),
      onGap: () => latest.current.onGap(),
      poll: () => latest.current.poll(),
    });
  }, [streams, job, enabled, pollEveryMs, latest]);
  return state;
}
