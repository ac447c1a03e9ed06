import { JOB_STATUSES, NAME_PATTERN } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { type Ref, useState } from 'react';
import { truncateMiddle } from '../../format/index.js';
import { CreatedFilter, CreatedForm } from '../../product/created-filter.js';
import { SAMPLES } from '../../product/job/payload.js';
import { meaningOf } from '../../product/status.js';
import { useApi } from '../../services.js';
import { Button, Dialog, Field, FilterChip, Input, NARROW, Select, useMedia } from '../../ui/index.js';
import { ChangeAll } from './bulk-dialog.js';
import { areTags, countOf, type FilterChange, type Filters, NO_FILTERS, tagsOf } from './model.js';

interface FilterBarProps {
  filters: Filters;
  /** The job types that the organization has used recently. */
  types: readonly string[];
  /** Changes the given filters and keeps the others. */
  onChange: (change: FilterChange) => void;
  /** Called with the id of a bulk action that has started. */
  onStart: (bulk: string) => void;
  /** The element that the key `/` focuses. */
  ref?: Ref<HTMLDivElement> | undefined;
}

/** The filters of the list. On phones they are behind a button. */
export function FilterBar(props: FilterBarProps) {
  const { filters, onChange, onStart, ref } = props;
  const narrow = useMedia(NARROW);
  const count = countOf(filters);
  return (
    <div ref={ref} className="flex min-h-13 flex-wrap items-start gap-2 px-4 pt-4">
      {narrow ? (
        <NarrowFilters {...props} count={count} />
      ) : (
        <>
          <div className="w-36">
            <StatusFilter {...props} />
          </div>
          <div className="w-56">
            <TypeFilter {...props} hideLabel />
          </div>
          <div className="w-36">
            <TagFilter {...props} hideLabel />
          </div>
          <CreatedFilter range={filters} onChange={onChange} />
          <OpenById className="w-52" />
        </>
      )}
      {filters.error_code !== undefined && (
        <FilterChip name="Error code" value={filters.error_code} onRemove={() => onChange({ error_code: undefined })} />
      )}
      {filters.key !== undefined && (
        <FilterChip name="Key" value={filters.key} onRemove={() => onChange({ key: undefined })} />
      )}
      {filters.schedule !== undefined && (
        <ScheduleChip id={filters.schedule} onRemove={() => onChange({ schedule: undefined })} />
      )}
      {filters.after !== undefined && (
        <FilterChip
          name="Starts after"
          value={truncateMiddle(filters.after)}
          onRemove={() => onChange({ after: undefined })}
        />
      )}
      {count > 0 && (
        <>
          <Button variant="ghost" onClick={() => onChange(NO_FILTERS)}>
            Clear filters
          </Button>
          <ChangeAll filters={filters} onStart={onStart} />
        </>
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
          <TypeFilter {...props} hideLabel={false} />
          <TagFilter {...props} hideLabel={false} />
          <div className="flex flex-col gap-2">
            <p className="text-body font-medium">Created</p>
            <CreatedForm range={filters} onChange={onChange} onDone={() => setOpen(false)} />
          </div>
          <OpenById />
        </div>
      </Dialog>
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

type TextFilterBarProps = FilterBarProps & { hideLabel: boolean };

function TypeFilter({ filters, types, onChange, hideLabel }: TextFilterBarProps) {
  const known = new Set([...types, ...Object.keys(SAMPLES)]);
  return (
    <TextFilter
      label="Type"
      hideLabel={hideLabel}
      placeholder="Any type"
      current={filters.type ?? ''}
      suggestions={[...known]}
      isValid={(type) => NAME_PATTERN.test(type)}
      rule="1 to 128 of A–Z a–z 0–9 . _ : -"
      onChange={(type) => onChange({ type: type || undefined })}
    />
  );
}

function TagFilter({ filters, onChange, hideLabel }: TextFilterBarProps) {
  return (
    <TextFilter
      label="Tags"
      hideLabel={hideLabel}
      placeholder="Any tag"
      current={tagsOf(filters.tag).join(', ')}
      isValid={areTags}
      rule="1 to 5 tags, of A–Z a–z 0–9 . _ : @ / + = -"
      onChange={(text) => onChange({ tag: tagsOf(text).join(',') || undefined })}
    />
  );
}

interface TextFilterProps {
  label: string;
  /** Hides the label visually. */
  hideLabel: boolean;
  placeholder: string;
  /** The filter; '' if it is not set. */
  current: string;
  /** Values that apply as soon as they are typed or chosen. Others apply with Enter, and when the input loses the focus. */
  suggestions?: readonly string[];
  isValid: (text: string) => boolean;
  /** What a valid text is, for the message about an invalid one. */
  rule: string;
  /** Called with a valid text, or '' to remove the filter. */
  onChange: (text: string) => void;
}

/** An input for a filter. An invalid text stays in the input, with a message, and does not change the filter. */
function TextFilter(props: TextFilterProps) {
  const { label, hideLabel, placeholder, current, suggestions, isValid, rule, onChange } = props;
  /** Null: the input shows the filter. */
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  const apply = (text: string) => {
    const isUsable = text === '' || isValid(text);
    setWrong(!isUsable);
    if (isUsable && text !== current) onChange(text);
    return isUsable;
  };
  return (
    <Field label={label} hideLabel={hideLabel} error={isWrong ? `Enter ${rule}.` : undefined}>
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
