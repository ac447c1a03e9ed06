import { Link } from '@tanstack/react-router';
import { formatExact, truncateMiddle } from '../../../format/index.js';
import { Sparkline } from '../../../product/charts/sparkline.js';
import { failureOf } from '../../../product/job/failure-advice.js';
import { Button, buttonClasses, cx, linkClasses, Time } from '../../../ui/index.js';
import { BULK_WORDS } from '../bulk/bulk-words.js';
import { NO_FILTERS } from '../filters.js';
import { actionOn, type FailureGroup, filtersOfGroup } from './use-failures.js';

export interface FailureItemProps {
  group: FailureGroup;
  /** Asks whether the jobs are retried, or run again if they cannot be retried. */
  onAsk: () => void;
}

/** A group of failures: how many, why, when, examples, and what the user can do. */
export function FailureItem({ group, onAsk }: FailureItemProps) {
  const { type, error_code: code, message, count, first_at, last_at, series, example_ids } = group;
  const { meaning, nextStep } = failureOf(type, code);
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-3 p-4">
      <div className="flex w-24 shrink-0 flex-col gap-1">
        <span className="text-section font-semibold tabular-nums">{formatExact(count)}</span>
        <span className="sr-only">{count === 1 ? 'job' : 'jobs'}</span>
        <Sparkline series={series} className="h-6 w-full text-failed" />
      </div>
      <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1 text-body wrap-anywhere">
        <p className="font-mono text-mono">
          <span className="font-semibold">{type}</span> <span className="text-failed">{code}</span>
        </p>
        {message !== '' && <p className="line-clamp-4 font-mono text-mono">{message}</p>}
        <p className="text-muted">
          {sentence(meaning)} {nextStep}
        </p>
        <dl className="flex flex-wrap gap-x-4 gap-y-1 text-meta text-muted tabular-nums">
          <div className="flex gap-1">
            <dt>First</dt>
            <dd>
              <Time value={first_at} className="hit" />
            </dd>
          </div>
          <div className="flex gap-1">
            <dt>Last</dt>
            <dd>
              <Time value={last_at} className="hit" />
            </dd>
          </div>
          <div className="flex min-w-0 gap-1">
            <dt className="shrink-0">Examples</dt>
            <dd className="flex min-w-0 flex-wrap gap-x-2">
              {example_ids.map((id) => (
                <Link key={id} to="/job/$id" params={{ id }} title={id} className={cx(linkClasses, 'hit font-mono')}>
                  {truncateMiddle(id)}
                </Link>
              ))}
            </dd>
          </div>
        </dl>
      </div>
      <div className="flex flex-wrap gap-2">
        <Link
          to="/"
          search={(now) => ({ ...now, ...NO_FILTERS, view: undefined, ...filtersOfGroup(group) })}
          className={buttonClasses('secondary', 'small')}
        >
          Show jobs
          <span className="sr-only">
            : {type}, {code}
          </span>
        </Link>
        <Button size="small" onClick={onAsk}>
          {BULK_WORDS[actionOn(group)].ask('all')}…
          <span className="sr-only">
            : {type}, {code}
          </span>
        </Button>
      </div>
    </li>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
