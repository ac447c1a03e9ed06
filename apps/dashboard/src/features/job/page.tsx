import { JoblineError } from '@jobline/client';
import { getRouteApi, Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { BackToJobs } from '../../shell/back-to-jobs.js';
import { LoadError } from '../../shell/load-error.js';
import { Page } from '../../shell/page-frame.js';
import { buttonClasses, EmptyState, Skeleton } from '../../ui/index.js';
import { JobView } from './job-view.js';
import { useJob } from './queries.js';

const route = getRouteApi('/app/job/$id');

export function JobPage() {
  const { id } = route.useParams();
  // The key resets all state, so that nothing of one job is shown for another.
  return <OneJob key={id} id={id} />;
}

function OneJob({ id }: { id: string }) {
  const data = useJob(id);
  const { data: job, error } = data.job;
  // Everything above the log is shown at the same time, so that the log does not move later.
  const isReady =
    (job?.status !== 'failed' || !data.result.isPending) && (data.log.isKnown || data.log.read.failureCount > 0);
  if (job && isReady) return <JobView data={data} job={job} />;
  if (error instanceof JoblineError && error.status === 404) {
    return (
      <Page title="Job not found" back={<BackToJobs />}>
        <EmptyState
          icon={<SearchX />}
          title="No job of your organization has this ID."
          actions={
            <Link to="/" className={buttonClasses('primary')}>
              Go to the jobs
            </Link>
          }
        >
          <p className="font-mono text-mono wrap-anywhere">{id}</p>
          <p className="mt-1">
            It may have been deleted after the retention period, or belong to another of your organizations.
          </p>
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page title="Job" back={<BackToJobs />} description={error ? null : <Skeleton className="my-1 w-80 max-w-full" />}>
      {error ? <LoadError of={data.job} /> : <JobSkeleton />}
    </Page>
  );
}

/** A placeholder with the same layout and height as the page. */
function JobSkeleton() {
  return (
    <div role="status" aria-label="Loading the job">
      <Skeleton className="mb-4 h-9 w-full" />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Skeleton className="h-[max(26rem,calc(100dvh-20rem))] w-full rounded-card" />
        <Skeleton className="h-64 w-full rounded-card max-lg:hidden" />
      </div>
    </div>
  );
}
