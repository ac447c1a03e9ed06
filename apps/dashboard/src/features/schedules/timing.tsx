import { JoblineError, type Schemas } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import type { UseFormReturn } from 'react-hook-form';
import { formatMoment, UNIT_OPTIONS } from '../../format/index.js';
import { useApi } from '../../services.js';
import { ControlField, RadioField } from '../../shell/control-field.js';
import { useDebounced } from '../../ui/hooks.js';
import { cx, Field, Input, Select, Skeleton } from '../../ui/index.js';
import { type ScheduleValues, type TimingBody, timingOf, userZone } from './model.js';

const TIMINGS = [
  { value: 'cron', label: 'At times of the day', hint: 'A cron expression in a time zone.' },
  { value: 'period', label: 'Again and again after a fixed period' },
] as const;

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')];

const isCount = (text: string) => /^[1-9]\d*$/.test(text.trim()) || 'Enter a whole number from 1.';

/** When the schedule runs, with a preview. */
export function TimingFields({ form }: { form: UseFormReturn<ScheduleValues> }) {
  const { control, register, watch } = form;
  const { errors } = form.formState;
  const [timing, cron, timezone, count, unit] = watch(['timing', 'cron', 'timezone', 'every_seconds', 'unit']);
  return (
    <>
      <RadioField control={control} name="timing" label="When it runs" options={TIMINGS} />
      {timing === 'cron' ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Cron expression"
            error={errors.cron?.message}
            hint="Minute, hour, day of the month, month, day of the week."
            required
          >
            <Input mono exact {...register('cron')} />
          </Field>
          <Field label="Time zone" error={errors.timezone?.message} hint="Such as Europe/Berlin." required>
            <Input type="search" exact suggestions={ZONES} {...register('timezone')} />
          </Field>
        </div>
      ) : (
        <div className="grid grid-cols-2 gap-4">
          <Field label="Every" error={errors.every_seconds?.message} required>
            <Input inputMode="numeric" autoComplete="off" {...register('every_seconds', { validate: isCount })} />
          </Field>
          <ControlField control={control} name="unit" label="Unit">
            {(bound) => <Select options={UNIT_OPTIONS} {...bound} />}
          </ControlField>
        </div>
      )}
      <TimingPreview timing={timingOf({ timing, cron, timezone, every_seconds: count, unit })} />
    </>
  );
}

const DELAY_MS = 300;

/** The sentence and the next five times of a timing while the user types it. */
function TimingPreview({ timing }: { timing: TimingBody }) {
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
      api.schedules.preview(JSON.parse(timing) as Schemas['SchedulePreviewRequest'], { signal }),
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

/** Times in the time zone of the user and, if it is another one, in that of the schedule. */
export function PlannedTimes({ times, timezone }: { times: readonly string[]; timezone: string | null }) {
  const hasTwoZones = timezone !== null && timezone !== userZone();
  return (
    <ol aria-label="Next times" className="flex flex-col gap-1 tabular-nums">
      {times.map((at) => (
        <li key={at} className="flex flex-wrap gap-x-6 text-body">
          <time dateTime={at}>{formatMoment(at)}</time>
          {hasTwoZones && <span className="text-muted">{inZone(at, timezone)}</span>}
        </li>
      ))}
    </ol>
  );
}

/** `21 Nov 2026, 09:00:00 CET · Europe/Berlin`. */
export function inZone(at: string, timezone: string): string {
  try {
    const moment = formatMoment(at, timezone);
    return moment.endsWith(` ${timezone}`) ? moment : `${moment} · ${timezone}`;
  } catch {
    return formatMoment(at, 'UTC'); // the browser may know fewer zones than the API
  }
}
