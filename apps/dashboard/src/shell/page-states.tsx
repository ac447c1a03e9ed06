import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { ApiError } from '../api/api-error.js';
import { buttonClasses, EmptyState, ErrorState, Skeleton } from '../ui/index.js';
import { Page } from './page.js';

/** The whole page could not be shown. What a page loads itself fails in its own place: `ErrorState`. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  const isApi = error instanceof ApiError;
  const message = isApi ? error.message : 'This page met a fault of its own. Loading it again may help.';
  return (
    <Page title="This page could not be shown">
      <ErrorState message={message} requestId={isApi ? error.requestId : null} onRetry={retry} />
    </Page>
  );
}

export function PageNotFound() {
  return (
    <Page title="There is no such page">
      <EmptyState
        title="The address leads nowhere."
        actions={
          <Link to="/" className={buttonClasses('primary')}>
            Go to the jobs
          </Link>
        }
      >
        It may have been cut off when it was copied.
      </EmptyState>
    </Page>
  );
}

/** While a page's code is on its way. Its data has skeletons of its own. */
export function PagePending() {
  return (
    <div role="status" aria-label="Loading" className="mx-auto flex w-full max-w-7xl flex-col gap-6 px-4 py-8 md:px-8">
      <Skeleton className="h-8 w-48" />
      <Skeleton className="h-28 w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}
