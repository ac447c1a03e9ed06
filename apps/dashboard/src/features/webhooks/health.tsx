import { formatExact, formatNumber } from '../../format/index.js';
import { Skeleton, Time } from '../../ui/index.js';
import type { Webhook, WebhookStats } from './queries.js';

/** Since when the attempts of a webhook fail, and how many; or when one last succeeded. */
export function Attempts({ webhook }: { webhook: Webhook }) {
  const { failing_since: failingSince, failures, last_success_at: lastSuccessAt } = webhook;
  if (failingSince !== null) {
    return (
      <span className="text-warning">
        failing since <Time value={failingSince} />, {formatNumber(failures)} in a row
      </span>
    );
  }
  if (lastSuccessAt === null) return <span className="text-muted">none yet</span>;
  return (
    <span className="text-muted">
      last success <Time value={lastSuccessAt} />
    </span>
  );
}

/** The deliveries of the last 24 hours: their numbers, and a bar for each step. */
export function Health({ stats }: { stats: WebhookStats | undefined | null }) {
  if (stats === null) return <span className="text-muted">unknown</span>;
  if (!stats) return <Skeleton className="w-40" />;
  const { delivered, failed, pending } = stats;
  if (delivered + failed + pending === 0) return <span className="text-muted">no deliveries</span>;
  return (
    <span className="flex min-w-0 items-center gap-3">
      <Bars stats={stats} />
      <span className="flex min-w-0 gap-x-2 whitespace-nowrap tabular-nums">
        {delivered > 0 && <Count value={delivered} word="delivered" />}
        {failed > 0 && <Count value={failed} word="failed" className="text-failed" />}
        {pending > 0 && <Count value={pending} word="pending" className="text-muted" />}
      </span>
    </span>
  );
}

function Count({ value, word, className }: { value: number; word: string; className?: string }) {
  return (
    <span title={formatExact(value)} className={className}>
      {formatNumber(value)} {word}
    </span>
  );
}

const HEIGHT = 20;
const STEP = 2;

/** Each bar is as high as its share of the busiest step: delivered at the bottom, then pending, then failed. */
function Bars({ stats: { series } }: { stats: WebhookStats }) {
  const totalOf = (step: WebhookStats['series'][number]) => step.delivered + step.failed + step.pending;
  const largest = Math.max(1, ...series.map(totalOf));
  const height = (count: number) => (count === 0 ? 0 : Math.max(1, (count / largest) * HEIGHT));
  return (
    <svg
      aria-hidden="true"
      width={series.length * STEP}
      height={HEIGHT}
      className="shrink-0 border-b border-line"
      shapeRendering="crispEdges"
    >
      {series.map(({ at, delivered, failed, pending }, n) => {
        const [done, waiting, lost] = [height(delivered), height(pending), height(failed)];
        return (
          <g key={at} transform={`translate(${n * STEP} ${HEIGHT})`}>
            <rect y={-done} width={STEP - 0.5} height={done} className="fill-done" />
            <rect y={-done - waiting} width={STEP - 0.5} height={waiting} className="fill-pending" />
            <rect y={-done - waiting - lost} width={STEP - 0.5} height={lost} className="fill-failed" />
          </g>
        );
      })}
    </svg>
  );
}
