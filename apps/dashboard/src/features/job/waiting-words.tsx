import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { cx, linkClasses } from '../../ui/index.js';
import type { Job } from './use-job.js';

const LIMIT = 'limit:';

/** What a pending job waits for, in words; null if it is about to start or if the page shows the time instead. */
export function waitingWords(reason: Job['waiting_for']): ReactNode {
  if (reason?.startsWith(LIMIT)) {
    const name = reason.slice(LIMIT.length);
    return (
      <>
        the limit{' '}
        <Link to="/limits" search={{ name }} className={cx(linkClasses, 'underline')}>
          {name}
        </Link>
      </>
    );
  }
  return REASONS[reason ?? ''] ?? null;
}

const REASONS: Readonly<Record<string, string>> = {
  org_limit: 'other jobs of your organization to finish',
  queue: 'a free worker',
  worker: 'a worker for its queue: none is connected',
};
