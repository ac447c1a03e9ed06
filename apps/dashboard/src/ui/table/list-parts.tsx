import { ArrowUp, X } from 'lucide-react';
import { useRef } from 'react';
import { formatCount, formatNumber } from '../../format/numbers.js';
import { useThrottledAnnouncement } from '../announce.js';
import { Button } from '../button.js';
import { RestoreFocus } from '../focus.js';

interface RowWords {
  /** The name of a row in the singular: "job". */
  what: string;
  /** The plural, if it is not formed with an s. */
  many?: string | undefined;
}

interface LoadOlderProps extends RowWords {
  hasMore: boolean;
  onLoad: () => void;
  loading?: boolean | undefined;
  /** How many rows are loaded at a time. Default: 100. */
  count?: number | undefined;
  failure?: string | undefined;
  shown: number;
}

/** The bottom of a list, with a button that appends the next page. */
export function LoadOlder({ hasMore, onLoad, loading, failure, count = 100, shown, what, many }: LoadOlderProps) {
  const sum = useRef<HTMLSpanElement>(null);
  const all = formatCount(shown, what, many);
  return (
    <div className="flex min-h-14 flex-wrap items-center justify-between gap-2 border-t border-line px-4 py-2">
      <span ref={sum} tabIndex={-1} className="text-meta text-muted tabular-nums outline-none">
        {hasMore ? `${all} shown` : `${all} in total`}
      </span>
      {failure !== undefined && (
        <p role="alert" className="min-w-0 flex-1 text-right text-meta text-failed wrap-break-word">
          Older entries could not be loaded. {failure}
        </p>
      )}
      <RestoreFocus to={() => sum.current?.focus()}>
        {hasMore && (
          <Button busy={loading} onClick={onLoad}>
            Load {formatNumber(count)} older
          </Button>
        )}
      </RestoreFocus>
    </div>
  );
}

interface NewItemsProps extends RowWords {
  count: number;
  /** Whether the list has rows. New rows are added to an empty list automatically. */
  hasRows: boolean;
  onShow: () => void;
}

/** The top of a list. A button such as "14 new jobs" shows new rows. The height is constant, so that nothing moves. */
export function NewItems({ count, hasRows, what, many = `${what}s`, onShow }: NewItemsProps) {
  const isOffered = hasRows && count > 0;
  const text = formatCount(count, `new ${what}`, `new ${many}`);
  const announcement = useThrottledAnnouncement(isOffered ? text : '');
  return (
    <div className="flex h-8 items-center justify-center">
      <span role="status" className="sr-only">
        {announcement}
      </span>
      {hasRows && count === 0 && <span className="mr-auto px-4 text-meta text-muted">Newest first</span>}
      {isOffered && (
        <button
          type="button"
          onClick={onShow}
          className="hit inline-flex h-7 animate-fade items-center gap-1.5 rounded-full bg-accent-soft px-3 text-mono font-medium text-accent hover:underline"
        >
          <ArrowUp size={14} />
          {text}
        </button>
      )}
    </div>
  );
}

/** An active filter: "Status: failed ×". */
export function FilterChip({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  return (
    <span className="inline-flex h-7 max-w-full items-center gap-1 rounded-control border border-line bg-surface pr-0.5 pl-2 text-mono">
      <span className="text-muted">{name}:</span>
      <span className="truncate font-medium">{value}</span>
      <button
        type="button"
        aria-label={`Remove filter ${name}`}
        onClick={onRemove}
        className="hit grid size-6 place-items-center rounded-[4px] text-muted hover:bg-hover hover:text-text"
      >
        <X size={14} />
      </button>
    </span>
  );
}
