import type { Channel } from '@jobline/contracts';
import type { ReactNode } from 'react';
import { truncateMiddle } from '../../format/index.js';
import { CreatedFilter } from '../../product/created-filter.js';
import { TextFilter } from '../../product/text-filter.js';
import { Button, FilterChip } from '../../ui/index.js';
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

/** How the text filters are shown. */
const SHAPE = { hideLabel: true, maxLength: 200, className: 'flex-1 basis-36 sm:max-w-52' };

/** The filters of a history: recipient, words of the subject, job and time. */
export function MessageFilters({ channel, filters, onChange, children, className }: MessageFiltersProps) {
  const { to = '', q = '', job } = filters;
  const isEmail = channel === 'email';
  const recipient = isEmail ? 'Recipient' : 'Phone number';
  return (
    <div className={`flex flex-wrap items-start gap-2 ${className}`}>
      {children}
      <TextFilter
        {...SHAPE}
        label={recipient}
        placeholder={recipient}
        current={to}
        parse={(text) => ({ to: (isEmail ? text : plainNumber(text)) || undefined })}
        onChange={onChange}
      />
      {isEmail && (
        <TextFilter
          {...SHAPE}
          label="Subject"
          placeholder="Subject"
          current={q}
          parse={(text) => ({ q: text || undefined })}
          onChange={onChange}
        />
      )}
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
