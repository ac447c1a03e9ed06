import type { Schemas } from '@jobline/client';
import { JOB_STATUSES } from '@jobline/contracts';
import { Link } from '@tanstack/react-router';
import { formatDuration, formatShare, formatSpan } from '../../format/index.js';
import { TypeBars } from '../../product/charts/bars.js';
import { type PickTime, ThroughputChart } from '../../product/charts/throughput-chart.js';
import { meaningOf } from '../../product/status.js';
import { LoadError } from '../../shell/load-error.js';
import { NARROW, Panel, StatTile, StatTiles, TONE_TEXT, useMedia, useNow } from '../../ui/index.js';
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
    <StatTiles label="Jobs by status">
      {(narrow ? FAILED_FIRST : JOB_STATUSES).map((status) => {
        const { icon: Icon, tone, word } = meaningOf('job', status);
        return (
          <StatTile
            key={status}
            label={status === 'pending' ? 'Waiting' : word}
            value={error && !counts ? null : counts?.[status]}
            remark={status === 'failed' && rate}
            hint={<span title={SAMPLE}>{hints[status]}</span>}
            icon={<Icon className={TONE_TEXT[tone]} />}
            current={current === status}
            link={
              <Link
                to="/"
                search={(now) => ({ ...now, view: undefined, status: current === status ? undefined : status })}
                resetScroll={false}
                onClick={onPick}
              />
            }
          />
        );
      })}
    </StatTiles>
  );
}

const FAILED_FIRST = ['failed', 'pending', 'processing', 'done'] as const;
const SAMPLE = 'Times: median (p50) and 95th percentile (p95) of the latest attempts of 1,000 jobs at most';

function percentiles({ p50_ms, p95_ms }: Schemas['JobTimes']): string {
  return `p50 ${formatDuration(p50_ms)}, p95 ${formatDuration(p95_ms)}`;
}

export function Charts({ stats, within, onPick }: OverviewProps & { onPick: PickTime }) {
  const { data, error } = stats;
  const narrow = useMedia(NARROW);
  return (
    <Panel>
      {error && !data ? (
        <LoadError of={stats} what="The statistics" className="min-h-36 py-2!" />
      ) : (
        <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[2fr_1fr]">
          <ThroughputChart series={data?.series} window={within} onPick={onPick} />
          <TypeBars byType={data?.by_type} most={narrow ? 3 : 5} />
        </div>
      )}
    </Panel>
  );
}
