import type { Schemas } from '@jobline/client';
import { JOB_STATUSES } from '@jobline/contracts';
import { Link } from '@tanstack/react-router';
import { formatDuration, formatExact, formatNumber, formatShare, formatSpan } from '../../format/index.js';
import { TypeBars } from '../../product/charts/bars.js';
import { type PickTime, ThroughputChart } from '../../product/charts/throughput-chart.js';
import { meaningOf } from '../../product/status.js';
import { cx, NARROW, Skeleton, TONE_TEXT, useMedia, useNow } from '../../ui/index.js';
import type { JobStatus } from './model.js';
import type { useJobStats } from './queries.js';

interface OverviewProps {
  stats: ReturnType<typeof useJobStats>['stats'];
  /** The time range in words. */
  within: string;
}

interface CountsProps extends OverviewProps {
  /** The status filter of the list. Undefined while the list is hidden. */
  current: JobStatus | undefined;
  /** Called when a tile was used: it filters the list. */
  onPick: () => void;
}

/** The numbers of jobs as tiles that filter the list, with times of jobs. On phones, failed jobs come first. */
export function Counts({ stats: { data, error }, within, current, onPick }: CountsProps) {
  const narrow = useMedia(NARROW);
  const now = Math.max(useNow(), Date.now());
  const counts = data?.by_status;
  const dueAt = data?.oldest_due_at;
  const oldest = dueAt ? `oldest ${formatSpan(Math.max(0, now - Date.parse(dueAt)))}` : '';
  const waited = data?.waited && !(narrow && oldest) ? `${narrow ? '' : 'waited '}${percentiles(data.waited)}` : '';
  const hints: Record<JobStatus, string> = {
    pending: [oldest, waited].filter(Boolean).join(' · ') || 'now',
    processing: data?.ran ? `${narrow ? '' : 'ran '}${percentiles(data.ran)}` : 'now',
    done: `in ${within}`,
    failed: `in ${within}`,
  };
  const rate = counts && counts.failed > 0 ? `(${formatShare(counts.failed, counts.done + counts.failed)})` : undefined;
  return (
    <section
      aria-label="Jobs by status"
      className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none"
    >
      {(narrow ? FAILED_FIRST : JOB_STATUSES).map((status) => {
        const { icon: Icon, tone, word } = meaningOf('job', status);
        const isCurrent = current === status;
        return (
          <Link
            key={status}
            to="/"
            search={(now) => ({ ...now, view: undefined, status: isCurrent ? undefined : status })}
            resetScroll={false}
            onClick={onPick}
            aria-current={isCurrent || undefined}
            className={cx(
              'flex min-w-0 flex-col gap-0.5 bg-surface px-4 py-3 text-left',
              'focus-inset transition-colors hover:bg-sunken',
              isCurrent && 'bg-accent-soft!',
            )}
          >
            <span className="flex items-center gap-1.5 text-mono text-muted">
              <Icon className={cx('size-3.5', TONE_TEXT[tone])} />
              {status === 'pending' ? 'Waiting' : word}
            </span>
            <span className="flex h-8 items-baseline gap-1.5">
              <Count value={error && !counts ? null : counts?.[status]} />
              {status === 'failed' && rate && (
                <span className="truncate text-body text-muted tabular-nums">{rate}</span>
              )}
            </span>
            <span className="h-4 truncate text-meta text-muted tabular-nums">
              <span title={SAMPLE}>{hints[status]}</span>
            </span>
          </Link>
        );
      })}
    </section>
  );
}

const FAILED_FIRST = ['failed', 'pending', 'processing', 'done'] as const;
const SAMPLE = 'Times: median (p50) and 95th percentile (p95) of the latest attempts of 1,000 jobs at most';

/** Undefined while the number loads; null if it is unknown. */
function Count({ value }: { value: number | null | undefined }) {
  if (value === undefined) {
    return (
      <span className="self-center">
        <Skeleton className="h-5! w-16" />
      </span>
    );
  }
  return (
    <span
      title={value === null ? undefined : formatExact(value)}
      className="text-title font-semibold tracking-tight tabular-nums"
    >
      {formatNumber(value)}
    </span>
  );
}

function percentiles({ p50_ms, p95_ms }: Schemas['JobTimes']): string {
  return `p50 ${formatDuration(p50_ms)}, p95 ${formatDuration(p95_ms)}`;
}

interface ChartsProps {
  data: ReturnType<typeof useJobStats>['stats']['data'];
  within: string;
  onPick: PickTime;
}

export function Charts({ data, within, onPick }: ChartsProps) {
  const narrow = useMedia(NARROW);
  return (
    <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[2fr_1fr]">
      <ThroughputChart series={data?.series} window={within} onPick={onPick} />
      <TypeBars byType={data?.by_type} most={narrow ? 3 : 5} />
    </div>
  );
}
