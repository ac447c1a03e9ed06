import { truncateMiddle } from '../format/truncate.js';
import { CopyButton } from './copy.js';
import { useInRow } from './row-context.js';

export interface IdProps {
  value: string;
  /** What the id belongs to, for the copy button: "job ID". */
  what?: string | undefined;
  /** How many characters are shown. Default: 12. 0 shows the whole id, which may wrap. */
  keep?: number | undefined;
}

/** An id, shortened in the middle. Hovering, screen readers and copying give the whole id. */
export function Id({ value, what = 'ID', keep = 12 }: IdProps) {
  const inRow = useInRow();
  const short = keep > 0 ? truncateMiddle(value, keep) : value;
  return (
    <span className="group/id inline-flex min-w-0 items-center gap-1 font-mono text-mono">
      <span title={value} className={keep > 0 ? 'truncate' : 'break-all'}>
        {short === value ? (
          value
        ) : (
          <>
            <span aria-hidden="true">{short}</span>
            <span className="sr-only">{value}</span>
          </>
        )}
      </span>
      <CopyButton
        text={value}
        label={`Copy ${what}`}
        tabIndex={inRow ? -1 : undefined}
        className={inRow ? 'opacity-0 group-hover/id:opacity-100 focus-visible:opacity-100' : undefined}
      />
    </span>
  );
}
