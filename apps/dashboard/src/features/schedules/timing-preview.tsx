import { JoblineError, type Schemas } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../services.js';
import { cx, Skeleton } from '../../ui/index.js';
import { useDebounced } from '../../ui/use-debounced.js';
import { PlannedTimes } from './planned-times.js';
import type { TimingBody } from './schedule-values.js';

type PreviewBody = Schemas['SchedulePreviewRequest'];

const DELAY_MS = 300;

/** The sentence and the next five times of a timing while the user types it. */
export function TimingPreview({ timing }: { timing: TimingBody }) {
  const latest = useDebounced(JSON.stringify(timing), DELAY_MS);
  const { data, error, isFetching } = useTimes(latest);
  const zone = 'timezone' in timing ? timing.timezone : null;
  return (
    <section
      aria-label="Preview"
      aria-busy={isFetching}
      className="rounded-card border border-line bg-sunken px-4 py-3"
    >
      <div aria-live="polite">
        {error ? (
          <p className="text-body text-danger">{sentenceOf(error)}</p>
        ) : (
          <p className="text-body font-medium">{data?.description ?? 'Calculating the times …'}</p>
        )}
      </div>
      <div className={cx('mt-2 min-h-32', error && 'invisible')}>
        {data ? <PlannedTimes times={data.times} timezone={zone} /> : <Skeleton className="w-64" />}
      </div>
    </section>
  );
}

/** The next times of a timing, given as JSON. Another `version` calculates them again. */
export function useTimes(timing: string, version: string | null = null) {
  const api = useApi();
  return useQuery({
    queryKey: ['previewSchedule', timing, version],
    queryFn: ({ signal }) =>
      // The cast: the text was made from such a value.
      api.schedules.preview(JSON.parse(timing) as PreviewBody, { signal }),
    retry: false,
  });
}

/** `"cron" must have …` → `The cron expression must have …`. */
function sentenceOf(error: Error): string {
  const [detail] = error instanceof JoblineError ? error.details : [];
  if (!detail) return error.message;
  const text = detail.message
    .replace(/^"cron" /, 'The cron expression ')
    .replace(/^"every_seconds" /, 'The period in seconds ')
    .replace(/^"timezone" /, 'The time zone ');
  return `${text}.`;
}
