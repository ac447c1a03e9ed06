import { ABOUT_LENGTH, JOB_STATUSES, NAME_PATTERN } from '@jobline/contracts';
import { useNavigate } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { truncateMiddle, wordsOf } from '../../format/index.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { CreatedFilter, CreatedForm } from '../../product/created-filter.js';
import { SAMPLES } from '../../product/job/payload.js';
import { useSchedule } from '../../product/job/schedule.js';
import { meaningOf } from '../../product/status.js';
import { TextFilter } from '../../product/text-filter.js';
import { Button, Dialog, Field, FilterChip, Input, NARROW, Popover, Select, useMedia } from '../../ui/index.js';
import { ChangeAll } from './bulk-dialog.js';
import {
  countOf,
  ERROR_CODES,
  type FilterChange,
  type Filters,
  NO_FILTERS,
  type TextFilterName,
  typedFilter,
} from './model.js';
import { SavedViews } from './saved-views.js';

interface FilterBarProps {
  filters: Filters;
  /** The job types that the organization has used recently. */
  types: readonly string[];
  /** Changes the given filters and keeps the others. */
  onChange: (change: FilterChange) => void;
  /** Called with the id of a bulk action that has started. */
  onStart: (bulk: string) => void;
  /** What follows the filters. */
  children: ReactNode;
}

const STATUS_OPTIONS = [
  { value: 'all', label: 'Any status' },
  ...JOB_STATUSES.map((value) => ({ value, label: meaningOf('job', value).word })),
] as const;

const TEXTS: Record<TextFilterName, { label: string; placeholder: string; rule: string }> = {
  type: { label: 'Type', placeholder: 'Any type', rule: '1 to 128 of A–Z a–z 0–9 . _ : -' },
  tag: { label: 'Tags', placeholder: 'Any tag', rule: '1 to 5 tags, of A–Z a–z 0–9 . _ : @ / + = -' },
  error_code: { label: 'Error code', placeholder: 'Any error', rule: 'one of the error codes' },
  key: { label: 'Key', placeholder: 'Any key', rule: 'at most 200 characters' },
  about: { label: 'About', placeholder: 'Recipient, phone, host…', rule: `at most ${ABOUT_LENGTH} characters` },
};

/** The filters whose input is not in the bar. */
const MORE = ['error_code', 'key', 'about'] as const;

/** The filters of the list. On phones they are behind a button. */
export function FilterBar({ filters, types, onChange, onStart, children }: FilterBarProps) {
  const narrow = useMedia(NARROW);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const closeSheet = () => setSheetOpen(false);
  const bar = useRef<HTMLDivElement>(null);
  const focus = () => bar.current?.querySelector<HTMLElement>('button, input')?.focus();
  useShortcut({ keys: 'f', label: 'Filter', group: 'Jobs', run: focus });
  const count = countOf(filters);
  const { about, after, schedule } = filters;
  const status = (
    <Select
      label="Status"
      options={STATUS_OPTIONS}
      value={filters.status ?? 'all'}
      onChange={(status) => onChange({ status: status === 'all' ? undefined : status })}
    />
  );
  const suggestions = { type: [...new Set([...types, ...Object.keys(SAMPLES)])], error_code: ERROR_CODES };
  const textFilter = (name: TextFilterName, shape?: { hideLabel: boolean; className: string }) => (
    <TextFilter
      key={name}
      {...TEXTS[name]}
      {...shape}
      current={name === 'tag' ? wordsOf(filters.tag).join(', ') : (filters[name] ?? '')}
      suggestions={name === 'type' || name === 'error_code' ? suggestions[name] : undefined}
      parse={(text) => typedFilter(name, text)}
      onChange={onChange}
    />
  );
  const more = MORE.map((name) => textFilter(name));
  return (
    <div ref={bar} className="flex min-h-13 flex-wrap items-start gap-2 px-4 pt-4">
      {narrow ? (
        <>
          <Button icon={<ListFilter />} onClick={() => setSheetOpen(true)}>
            {count > 0 ? `Filter (${count})` : 'Filter'}
          </Button>
          <Dialog side="right" open={isSheetOpen} onClose={closeSheet} title="Filter the jobs">
            <div className="flex flex-col gap-6">
              <Field label="Status">{status}</Field>
              {textFilter('type')}
              {textFilter('tag')}
              <div className="flex flex-col gap-2">
                <p className="text-body font-medium">Created</p>
                <CreatedForm range={filters} onChange={onChange} onDone={closeSheet} />
              </div>
              {more}
              <OpenById />
            </div>
          </Dialog>
        </>
      ) : (
        <>
          <div className="w-32">{status}</div>
          {textFilter('type', { hideLabel: true, className: 'max-w-56 flex-1 basis-32' })}
          {textFilter('tag', { hideLabel: true, className: 'max-w-40 flex-1 basis-28' })}
          <CreatedFilter range={filters} onChange={onChange} />
          <MoreFilters>{more}</MoreFilters>
          {count === 0 && <OpenById className="w-36" />}
        </>
      )}
      <SavedViews filters={filters} onChange={onChange} />
      {children}
      {count > 0 && (
        <>
          {/* Bulk actions have no filter by `about`. */}
          {about === undefined && <ChangeAll filters={filters} onStart={onStart} />}
          <Button variant="ghost" aria-label="Clear filters" onClick={() => onChange(NO_FILTERS)}>
            Clear
          </Button>
        </>
      )}
      {MORE.map((name) => {
        const value = filters[name];
        const remove = () => onChange({ [name]: undefined });
        return value && <FilterChip key={name} name={TEXTS[name].label} value={value} onRemove={remove} />;
      })}
      {after && (
        <FilterChip name="Starts after" value={truncateMiddle(after)} onRemove={() => onChange({ after: undefined })} />
      )}
      {schedule && <ScheduleChip id={schedule} onRemove={() => onChange({ schedule: undefined })} />}
    </div>
  );
}

function MoreFilters({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="More filters"
      open={open}
      onOpenChange={(next) => {
        // An input applies what was typed when it loses the focus. React would not report that of a removed input.
        if (!next && document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
        setOpen(next);
      }}
      trigger={<Button>More…</Button>}
    >
      <div className="flex flex-col gap-4">{children}</div>
    </Popover>
  );
}

/** Opens the page of a job by its id. That page says if the job does not exist. */
function OpenById({ className }: { className?: string }) {
  const navigate = useNavigate();
  const [error, setError] = useState<string>();
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        const id = String(new FormData(event.currentTarget).get('id')).trim();
        if (NAME_PATTERN.test(id)) void navigate({ to: '/job/$id', params: { id } });
        else setError(id === '' ? 'Paste an ID first.' : 'This is not a valid job ID.');
      }}
    >
      <Field label="Open by ID" hideLabel error={error}>
        <Input name="id" mono exact placeholder="Open by ID…" enterKeyHint="go" onChange={() => setError(undefined)} />
      </Field>
    </form>
  );
}

/** The filter by schedule, with the name of the schedule if it still exists. */
function ScheduleChip({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { data } = useSchedule(id);
  return <FilterChip name="Schedule" value={data?.name ?? truncateMiddle(id)} onRemove={onRemove} />;
}
