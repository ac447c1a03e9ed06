import { Controller, type UseFormReturn } from 'react-hook-form';
import { UNIT_OPTIONS } from '../../format/index.js';
import { Field, Input, RadioGroup, Select } from '../../ui/index.js';
import { type ScheduleValues, timingOf } from './schedule-values.js';
import { TimingPreview } from './timing-preview.js';

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
      <Controller
        control={control}
        name="timing"
        render={({ field }) => (
          <RadioGroup label="When it runs" options={TIMINGS} value={field.value} onChange={field.onChange} />
        )}
      />
      {timing === 'cron' ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Cron expression"
            error={errors.cron?.message}
            hint="Minute, hour, day of the month, month, day of the week."
            required
          >
            <Input mono autoComplete="off" autoCapitalize="none" spellCheck={false} {...register('cron')} />
          </Field>
          <Field label="Time zone" error={errors.timezone?.message} hint="Such as Europe/Berlin." required>
            <Input
              type="search"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              suggestions={ZONES}
              {...register('timezone')}
            />
          </Field>
        </div>
      ) : (
        <div className="grid grid-cols-2 gap-4">
          <Field label="Every" error={errors.every_seconds?.message} required>
            <Input inputMode="numeric" autoComplete="off" {...register('every_seconds', { validate: isCount })} />
          </Field>
          <Controller
            control={control}
            name="unit"
            render={({ field }) => (
              <Field label="Unit">
                <Select options={UNIT_OPTIONS} value={field.value} onChange={field.onChange} />
              </Field>
            )}
          />
        </div>
      )}
      <TimingPreview timing={timingOf({ timing, cron, timezone, every_seconds: count, unit })} />
    </>
  );
}
