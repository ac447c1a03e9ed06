import { ABOUT_LENGTH, JOB_ERROR_CODES, JOB_STATUSES, NAME_PATTERN } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { type ReactNode, type Ref, useState } from 'react';
import { truncateMiddle } from '../../format/index.js';
import { CreatedFilter, CreatedForm } from '../../product/created-filter.js';
import { SAMPLES } from '../../product/job/payload.js';
import { meaningOf } from '../../product/status.js';
import { useApi } from '../../services.js';
import { Button, Dialog, Field, FilterChip, Input, NARROW, Popover, Select, useMedia } from '../../ui/index.js';
import { ChangeAll } from './bulk-dialog.js';
import {
  countOf,
  type FilterChange,
  type Filters,
  NO_FILTERS,
  type TextFilterName,
  tagsOf,
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
  /** The element that the key `f` focuses. */
  ref?: Ref<HTMLDivElement> | undefined;
  /** What follows the filters. */
  children: ReactNode;
}

/** The filters that have no input in the bar. */
const CHIPS = { error_code: 'Error code', key: 'Key', about: 'About', after: 'Starts after' } as const;

/** The filters of the list. On phones they are behind a button. */
export function FilterBar(props: FilterBarProps) {
  const { filters, onChange, onStart, ref, children } = props;
  const narrow = useMedia(NARROW);
  const count = countOf(filters);
  return (
    <div ref={ref} className="flex min-h-13 flex-wrap items-start gap-2 px-4 pt-4">
      {narrow ? (
        <NarrowFilters {...props} count={count} />
      ) : (
        <>
          <div className="w-32">
            <StatusFilter {...props} />
          </div>
          <TextFilter {...props} name="type" hideLabel className="max-w-56 flex-1 basis-32" />
          <TextFilter {...props} name="tag" hideLabel className="max-w-40 flex-1 basis-28" />
          <CreatedFilter range={filters} onChange={onChange} />
          <MoreFilters {...props} />
          {count === 0 && <OpenById className="w-36" />}
        </>
      )}
      <SavedViews filters={filters} onChange={onChange} />
      {children}
      {count > 0 && (
        <>
          {/* Bulk actions have no filter by `about`. */}
          {filters.about === undefined && <ChangeAll filters={filters} onStart={onStart} />}
          <Button variant="ghost" aria-label="Clear filters" onClick={() => onChange(NO_FILTERS)}>
            Clear
          </Button>
        </>
      )}
      {(['error_code', 'key', 'about', 'after'] as const).map((name) => {
        const value = filters[name];
        return (
          value !== undefined && (
            <FilterChip
              key={name}
              name={CHIPS[name]}
              value={name === 'after' ? truncateMiddle(value) : value}
              onRemove={() => onChange({ [name]: undefined })}
            />
          )
        );
      })}
      {filters.schedule !== undefined && (
        <ScheduleChip id={filters.schedule} onRemove={() => onChange({ schedule: undefined })} />
      )}
    </div>
  );
}

function NarrowFilters(props: FilterBarProps & { count: number }) {
  const [open, setOpen] = useState(false);
  const { filters, count, onChange } = props;
  return (
    <>
      <Button icon={<ListFilter aria-hidden="true" />} onClick={() => setOpen(true)}>
        {count > 0 ? `Filter (${count})` : 'Filter'}
      </Button>
      <Dialog side="right" open={open} onOpenChange={setOpen} title="Filter the jobs">
        <div className="flex flex-col gap-6">
          <Field label="Status">
            <StatusFilter {...props} />
          </Field>
          <TextFilter {...props} name="type" />
          <TextFilter {...props} name="tag" />
          <div className="flex flex-col gap-2">
            <p className="text-body font-medium">Created</p>
            <CreatedForm range={filters} onChange={onChange} onDone={() => setOpen(false)} />
          </div>
          <MoreInputs {...props} />
          <OpenById />
        </div>
      </Dialog>
    </>
  );
}

function MoreFilters(props: FilterBarProps) {
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
      <div className="flex flex-col gap-4">
        <MoreInputs {...props} />
      </div>
    </Popover>
  );
}

function MoreInputs(props: FilterBarProps) {
  return (
    <>
      <TextFilter {...props} name="error_code" />
      <TextFilter {...props} name="key" />
      <TextFilter {...props} name="about" />
    </>
  );
}

const STATUS_OPTIONS = [
  { value: 'all', label: 'Any status' },
  ...JOB_STATUSES.map((value) => ({ value, label: meaningOf('job', value).word })),
] as const;

function StatusFilter({ filters, onChange }: FilterBarProps) {
  return (
    <Select
      label="Status"
      options={STATUS_OPTIONS}
      value={filters.status ?? 'all'}
      onChange={(status) => onChange({ status: status === 'all' ? undefined : status })}
    />
  );
}

/** `rule`: what a valid text is, for the message about an invalid one. */
const TEXTS: Record<TextFilterName, { label: string; placeholder: string; rule: string }> = {
  type: { label: 'Type', placeholder: 'Any type', rule: '1 to 128 of A–Z a–z 0–9 . _ : -' },
  tag: { label: 'Tags', placeholder: 'Any tag', rule: '1 to 5 tags, of A–Z a–z 0–9 . _ : @ / + = -' },
  error_code: { label: 'Error code', placeholder: 'Any error', rule: 'one of the error codes' },
  key: { label: 'Key', placeholder: 'Any key', rule: 'at most 200 characters' },
  about: { label: 'About', placeholder: 'Recipient, phone, host…', rule: `at most ${ABOUT_LENGTH} characters` },
};

interface TextFilterProps extends FilterBarProps {
  name: TextFilterName;
  /** Hides the label visually. */
  hideLabel?: boolean;
  className?: string;
}

/**
 * An input for a filter. A suggested value applies as soon as it is typed or chosen, others with Enter, and when the input loses the
 * focus. An invalid text stays in the input, with a message, and does not change the filter.
 */
function TextFilter({ name, filters, types, onChange, hideLabel, className }: TextFilterProps) {
  const { label, placeholder, rule } = TEXTS[name];
  const current = name === 'tag' ? tagsOf(filters.tag).join(', ') : (filters[name] ?? '');
  const suggestions =
    name === 'type'
      ? [...new Set([...types, ...Object.keys(SAMPLES)])]
      : name === 'error_code'
        ? Object.keys(JOB_ERROR_CODES)
        : undefined;
  /** Null: the input shows the filter. */
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  const apply = (text: string) => {
    const change = text === '' ? { [name]: undefined } : typedFilter(name, text);
    setWrong(!change);
    if (change && text !== current) onChange(change);
    return change !== undefined;
  };
  return (
    <Field label={label} hideLabel={hideLabel} error={isWrong ? `Enter ${rule}.` : undefined} className={className}>
      <Input
        type="search"
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        suggestions={suggestions}
        value={typed ?? current}
        onChange={({ target: { value } }) => {
          setTyped(value);
          setWrong(false);
          if (value === '' || suggestions?.includes(value)) apply(value);
        }}
        onKeyDown={({ key }) => key === 'Enter' && typed !== null && apply(typed.trim())}
        onBlur={() => {
          if (typed === null || apply(typed.trim())) setTyped(null);
        }}
      />
    </Field>
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
        <Input
          name="id"
          mono
          placeholder="Open by ID…"
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="go"
          onChange={() => setError(undefined)}
        />
      </Field>
    </form>
  );
}

/** The filter by schedule, with the name of the schedule if it still exists. */
function ScheduleChip({ id, onRemove }: { id: string; onRemove: () => void }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['listSchedules', id],
    queryFn: ({ signal }) => api.schedules.get(id, { signal }),
    retry: false,
  });
  return <FilterChip name="Schedule" value={data?.name ?? truncateMiddle(id)} onRemove={onRemove} />;
}
