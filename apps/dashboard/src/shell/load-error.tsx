import { JoblineError } from '@jobline/client';
import { ErrorState } from '../ui/index.js';

interface LoadErrorProps {
  /** The failed request, such as the result of `useQuery` or `useList`. */
  of: { error: Error | null; refetch: () => unknown; isFetching: boolean };
  /** Names what could not be loaded, such as "The emails". Absent if the page makes this clear. */
  what?: string | undefined;
  /** Shown if the API answers that the object does not exist. Trying again would not help. */
  notFound?: string | undefined;
  className?: string | undefined;
}

/** Shows why data could not be loaded, in its place, with a button to try again. */
export function LoadError({ of: { error, refetch, isFetching }, what, notFound, className }: LoadErrorProps) {
  if (!error) return null;
  const { code = null, requestId } = error instanceof JoblineError ? error : {};
  const isGone = code === 'not_found' && notFound !== undefined;
  const message = what === undefined ? error.message : `${what} could not be loaded. ${error.message}`;
  return (
    <ErrorState
      message={isGone ? notFound : message}
      requestId={requestId}
      onRetry={isGone ? undefined : () => void refetch()}
      retrying={isFetching}
      className={className}
    />
  );
}
