import { JoblineError } from '@jobline/client';
import { type Right, rolesWith } from '@jobline/contracts';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useMe } from '../session/use-session.js';
import { buttonClasses, cx, EmptyState, ErrorState, Skeleton } from '../ui/index.js';

interface PageProps {
  title: string;
  /** The title of the tab, before the product name. Default: the heading. */
  tab?: string | undefined;
  back?: ReactNode;
  /** Content next to the title: LivePill, Id, badges. */
  aside?: ReactNode;
  description?: ReactNode;
  /** Buttons at the end of the header; the primary action comes last. */
  actions?: ReactNode;
  /** Whether it has the full width of the window, for lists and logs. */
  isWide?: boolean;
  children: ReactNode;
}

/** The frame of every page. Navigation moves the focus to its heading, so that screen readers read it first. */
export function Page({ title, tab = title, back, aside, description, actions, isWide, children }: PageProps) {
  useTitle(tab);
  return (
    <div className={cx('mx-auto w-full min-w-0 px-4 py-6 md:px-8 md:py-8', !isWide && 'max-w-7xl')}>
      <header className="mb-6">
        {back && <div className="mb-1 text-body">{back}</div>}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
          <div className="flex min-w-0 grow basis-40 flex-wrap items-center gap-x-3 gap-y-1">
            <h1 tabIndex={-1} className="text-title font-semibold tracking-tight wrap-anywhere outline-none">
              {title}
            </h1>
            {aside}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {description && <div className="mt-1 max-w-3xl text-body text-muted">{description}</div>}
      </header>
      {children}
    </div>
  );
}

/** Sets the title of the tab, for pages without the usual header. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Jobline`;
  }, [title]);
}

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
      <EmptyState title="There is no page at this address." actions={<GoToJobs variant="primary" />}>
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

/** Shown instead of a page that needs a right the user does not have. Says who can help. */
export function Forbidden({ right, name }: { right: Right; name: string }) {
  const { user, org } = useMe();
  const helpers = rolesWith(right)
    .map((role) => `${role}s`)
    .join(' and ');
  return (
    <Page title={name}>
      <EmptyState
        icon={<Lock />}
        title={`Only ${helpers} of ${org.name} can see this page.`}
        actions={<GoToJobs variant="secondary" />}
      >
        Your role is {user.role}. The owner who invited you can change it.
      </EmptyState>
    </Page>
  );
}

/** A link to the jobs, for a page that has nothing to show. */
export function GoToJobs({ variant }: { variant: 'primary' | 'secondary' }) {
  return (
    <Link to="/" className={buttonClasses(variant)}>
      Go to the jobs
    </Link>
  );
}
