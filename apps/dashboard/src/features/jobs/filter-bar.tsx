import { JOB_STATUSES, NAME_PATTERN } from '@jobline/contracts';
import { ListFilter } from 'lucide-react';
import { type Ref, useState } from 'react';
import { SAMPLES } from '../../product/job/samples.js';
import { meaningOf } from '../../product/status.js';
import { Button, Dialog, Field, FilterChip, NARROW, Select, useMedia } from '../../ui/index.js';
import { ChangeAll } from './bulk/change-all.js';
import { CreatedFilter, CreatedForm } from './created-filter.js';
import { countOf, type FilterChange, type Filters, NO_FILTERS } from './filters.js';
import { OpenById } from './open-by-id.js';
import { ScheduleChip } from './schedule-chip.js';
import { areTags, tagsOf } from './tags.js';
import { TextFilter } from './text-filter.js';

export interface FilterBarProps {
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
