import type { Channel } from '@jobline/contracts';
import { type ReactNode, useState } from 'react';
import { truncateMiddle } from '../../format/index.js';
import { CreatedFilter } from '../../product/created-filter.js';
import { Button, Field, FilterChip, Input } from '../../ui/index.js';
import { plainNumber } from './draft.js';
import { type FilterChange, type Filters, isFiltered, NO_FILTERS } from './model.js';

interface MessageFiltersProps {
  channel: Channel;
  filters: Filters;
  /** Changes the given filters and keeps the others. */
  onChange: (change: FilterChange) => void;
  /** Further filters, before these. */
  children?: ReactNode;
  className?: string;
}

/** The filters of a history: recipient, words of the subject, job and time. */
export function MessageFilters({ channel, filters, onChange, children, className }: MessageFiltersProps) {
  const { to, q, job } = filters;
  const isEmail = channel === 'email';
  return (
    <div className={`flex flex-wrap items-start gap-2 ${className}`}>
      {children}
      <TextFilter
        label={isEmail ? 'Recipient' : 'Phone number'}
        current={to}
        onChange={(text) => onChange({ to: isEmail ? text : text && plainNumber(text) })}
      />
      {isEmail && <TextFilter label="Subject" current={q} onChange={(text) => onChange({ q: text })} />}
      <CreatedFilter range={filters} onChange={onChange} />
      {job !== undefined && (
        <FilterChip name="Job" value={truncateMiddle(job)} onRemove={() => onChange({ job: undefined })} />
      )}
      {isFiltered(filters) && (
        <Button variant="ghost" onClick={() => onChange(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

interface TextFilterProps {
  label: string;
  current: string | undefined;
  onChange: (text: string | undefined) => void;
}

/** A filter that applies with Enter, when it loses the focus, and when it is cleared. */
function TextFilter({ label, current = '', onChange }: TextFilterProps) {
  /** Null: the input shows the filter. */
  const [typed, setTyped] = useState<string | null>(null);
  const apply = (text: string) => text !== current && onChange(text || undefined);
  return (
    <Field label={label} hideLabel className="flex-1 basis-36 sm:max-w-52">
      <Input
        type="search"
        exact
        placeholder={label}
        maxLength={200}
        value={typed ?? current}
        onChange={({ target: { value } }) => {
          setTyped(value);
          if (value === '') apply('');
        }}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && apply(currentTarget.value.trim())}
        onBlur={({ currentTarget }) => {
          apply(currentTarget.value.trim());
          setTyped(null);
        }}
      />
    </Field>
  );
}
