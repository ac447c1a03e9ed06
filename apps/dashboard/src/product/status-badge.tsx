import { Badge, Tooltip, useInRow } from '../ui/index.js';
import { meaningOf, type StatusKind, type StatusOf } from './status.js';

export type StatusBadgeProps = {
  [Kind in StatusKind]: { kind: Kind; status: StatusOf<Kind> | (string & {}) };
}[StatusKind] & {
  /** Replaces the usual word, for example with "Cancel requested". */
  word?: string | undefined;
};

/** A status with icon and word. Hover or focus shows its meaning. */
export function StatusBadge({ kind, status, word }: StatusBadgeProps) {
  const inRow = useInRow();
  const { word: usual, icon, tone, meaning } = meaningOf(kind, status);
  return (
    <Tooltip content={meaning}>
      <Badge tone={tone} icon={icon} tabIndex={inRow ? undefined : 0} spin={kind === 'job' && status === 'processing'}>
        {word ?? usual}
      </Badge>
    </Tooltip>
  );
}
