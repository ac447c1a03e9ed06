import { JoblineError } from '@jobline/client';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { buttonClasses, EmptyState, ErrorState, Skeleton } from '../ui/index.js';
import { Page } from './page.js';

/** Shown if the whole page failed. Data that a page loads itself fails in its own place, with `ErrorState`. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  const isApi = error instanceof JoblineError;
  const message = isApi ? error.message : 'An error occurred in this page. Try again or reload it.';
  return (
    <Page title="This page could not be shown">
      <ErrorState message={message} requestId={isApi ? error.requestId : undefined} onRetry={retry} />
    </Page>
  );
}

export function PageNotFound() {
  return (
    <Page title="Page not found">
      <EmptyState
        title="There is no page at this address."
        actions={
          <Link to="/" className={buttonClasses('primary')}>
            Go to the jobs
          </Link>
        }
      >
        The address may have been cut off when it was copied.
      </EmptyState>
    </Page>
  );
}

/** Shown while the code of a page loads. The page itself shows skeletons while its data loads. */
export function PagePending() {
  return (
    <div role="status" aria-label="Loading" className="mx-auto flex w-full max-w-7xl flex-col gap-6 px-4 py-8 md:px-8">
      <Skeleton className="h-8 w-48" />
      <Skeleton className="h-28 w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}
