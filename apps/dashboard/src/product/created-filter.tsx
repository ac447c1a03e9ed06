import { CalendarClock } from 'lucide-react';
import { useState } from 'react';
import { formatClock, formatDate } from '../format/index.js';
import { Button, DateTimeInput, Field, Popover } from '../ui/index.js';

/** Times in ISO 8601. */
interface Range {
  created_after?: string | undefined;
  created_before?: string | undefined;
}

const HOUR_MS = 3_600_000;
const PRESETS = [
  { label: 'Last hour', since: () => Date.now() - HOUR_MS },
  { label: 'Last 24 hours', since: () => Date.now() - 24 * HOUR_MS },
  { label: 'Last 7 days', since: () => Date.now() - 7 * 24 * HOUR_MS },
  { label: 'Today', since: () => new Date().setHours(0, 0, 0, 0) },
] as const;

interface CreatedFilterProps {
  /** The name of the time. Default: Created. */
  label?: string;
  range: Range;
  onChange: (range: Required<Range>) => void;
}

/** The filter by creation time: a preset, or a range in the user's time zone. */
export function CreatedFilter({ label = 'Created', ...props }: CreatedFilterProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label={label}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button icon={<CalendarClock />} className="max-w-full" title={rangeText(props.range)}>
          <span className="max-w-40 truncate">
            {label}: {rangeText(props.range)}
          </span>
        </Button>
      }
    >
      <CreatedForm {...props} onDone={() => setOpen(false)} />
    </Popover>
  );
}

/** The form of the filter without the popover, for a sheet. */
export function CreatedForm({ range, onChange, onDone }: Omit<CreatedFilterProps, 'label'> & { onDone?: () => void }) {
  const [from, setFrom] = useState(range.created_after ?? null);
  const [before, setBefore] = useState(range.created_before ?? null);
  const isEmpty = from !== null && before !== null && from >= before;
  const take = (after: string | null, until: string | null) => {
    setFrom(after);
    setBefore(until);
    onChange({ created_after: after ?? undefined, created_before: until ?? undefined });
    onDone?.();
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty) take(from, before);
      }}
    >
      <div className="flex flex-wrap gap-2">
        {PRESETS.map(({ label, since }) => (
          <Button key={label} size="small" onClick={() => take(new Date(since()).toISOString(), null)}>
            {label}
          </Button>
        ))}
        <Button size="small" variant="ghost" onClick={() => take(null, null)}>
          Any time
        </Button>
      </div>
      <Field label="From">
        <DateTimeInput value={from} onChange={setFrom} />
      </Field>
      <Field label="Before" error={isEmpty ? 'Must be after “From”.' : undefined}>
        <DateTimeInput value={before} onChange={setBefore} />
      </Field>
      <Button type="submit" className="self-end">
        Apply
      </Button>
    </form>
  );
}

/** `since 21 Nov, 14:02`. */
export function rangeText({ created_after, created_before }: Range): string {
  if (created_after && created_before) return `${shortTime(created_after)} – ${shortTime(created_before)}`;
  if (created_after) return `since ${shortTime(created_after)}`;
  if (created_before) return `before ${shortTime(created_before)}`;
  return 'any time';
}

/** `21 Nov, 14:02`. */
function shortTime(iso: string): string {
  return `${formatDate(iso).replace(/ \d{4}$/, '')}, ${formatClock(iso)}`;
}
