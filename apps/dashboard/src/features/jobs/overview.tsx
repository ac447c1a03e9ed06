import type { StatsWindow } from '@jobline/contracts';
import { Link } from '@tanstack/react-router';
import { formatShare, formatSpan } from '../../format/index.js';
import { TypeBars } from '../../product/charts/bars.js';
import { ThroughputChart } from '../../product/charts/throughput-chart.js';
import { meaningOf } from '../../product/status.js';
import { LoadError } from '../../shell/load-error.js';
import { NARROW, Panel, StatTile, StatTiles, TONE_TEXT, useMedia, useNow } from '../../ui/index.js';
import type { JobStatus } from './model.js';
import { WINDOW_WORDS } from './model.js';
import type { useJobStats } from './queries.js';

interface OverviewProps {
  stats: ReturnType<typeof useJobStats>['stats'];
  /** The requested time range. */
  window: StatsWindow;
  /** The status filter of the list. Undefined while the list is hidden. */
  current: JobStatus | undefined;
}

/** The statistics of the page: tiles that filter the list, a chart over time, and the most frequent types. */
export function Overview({ stats, window, current }: OverviewProps) {
  const { data, error } = stats;
  const narrow = useMedia(NARROW);
  const waitedMs = useWaitedMs(data?.oldest_pending_at);
  const counts = data?.by_status;
  const within = WINDOW_WORDS[data?.window ?? window];
  const tile = (status: JobStatus, label: string, hint: string, remark?: string) => {
    const { icon: Icon, tone } = meaningOf('job', status);
    return (
      <StatTile
        label={label}
        value={error && !counts ? null : counts?.[status]}
        remark={remark}
        hint={hint}
        icon={<Icon aria-hidden="true" className={TONE_TEXT[tone]} />}
        current={current === status}
        link={
          <Link
            to="/"
            search={(now) => ({ ...now, view: undefined, status: current === status ? undefined : status })}
          />
        }
      />
    );
  };
  const rate = counts && counts.failed > 0 ? `(${formatShare(counts.failed, counts.done + counts.failed)})` : undefined;
  return (
    <div className="mb-6 flex flex-col gap-4">
      <StatTiles label="Jobs by status">
        {tile('pending', 'Waiting', waitedMs === null ? 'now' : `oldest ${formatSpan(waitedMs)}`)}
        {tile('processing', 'Running', 'now')}
        {tile('done', 'Done', `in ${within}`)}
        {tile('failed', 'Failed', `in ${within}`, rate)}
      </StatTiles>
      <Panel>
        {error && !data ? (
          <LoadError of={stats} what="The statistics" className="min-h-36 py-2!" />
        ) : (
          <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[2fr_1fr]">
            <ThroughputChart series={data?.series} window={within} />
            <TypeBars
              byType={data?.by_type}
              most={narrow ? 3 : 5}
              link={(type) => <Link to="/" search={(now) => ({ ...now, view: undefined, type })} />}
            />
          </div>
        )}
      </Panel>
    </div>
  );
}

/** Returns how long the oldest waiting job has waited; null if no job waits. */
function useWaitedMs(since: string | null | undefined): number | null {
  const now = useNow();
  return since ? Math.max(0, Math.max(now, Date.now()) - Date.parse(since)) : null;
}
