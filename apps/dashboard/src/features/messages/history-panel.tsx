import type { ReactNode } from 'react';
import type { List, PendingRows } from '../../api/use-list.js';
import { meaningOf } from '../../product/status.js';
import { ListTable } from '../../shell/list-table.js';
import { Button, type DataTableProps, EmptyState, Panel, Select } from '../../ui/index.js';
import type { SmsStatus } from './model.js';
import { PAGE_SIZE } from './queries.js';

/** The statuses of SMS and of chat messages. */
const STATUSES = ['queued', 'sent', 'delivered', 'failed'] as const satisfies SmsStatus[];

const FILTER = [
  { value: 'all', label: 'All statuses' } as const,
  ...STATUSES.map((value) => ({ value, label: meaningOf('message', value).word })),
];

interface HistoryPanelProps<Row> extends Omit<DataTableProps<Row>, 'rows' | 'refetching' | 'empty'> {
  list: List<Row>;
  pending: PendingRows<Row>;
  status: SmsStatus | undefined;
  onStatus: (status: SmsStatus | undefined) => void;
  /** The name of a message, in the singular and in the plural. */
  what: string;
  many: string;
  /** The heading of the keys `j` and `k` in the help dialog. Absent: the page has its own keys. */
  shortcuts?: string;
  /** Shown if there is no message at all. */
  empty: ReactNode;
}

/** The messages of a channel, newest first, with a filter by status. */
export function HistoryPanel<Row extends { id: string }>(props: HistoryPanelProps<Row>) {
  const { status, onStatus, many, empty, ...table } = props;
  const filter = (
    <Select
      size="small"
      label="Status"
      options={FILTER}
      value={status ?? 'all'}
      onChange={(value) => onStatus(value === 'all' ? undefined : value)}
      className="min-w-32"
    />
  );
  return (
    <Panel title="History" actions={filter} padding="none">
      <ListTable
        {...table}
        pageSize={PAGE_SIZE}
        many={many}
        total
        empty={
          status === undefined ? empty : <NoMatch status={status} many={many} onClear={() => onStatus(undefined)} />
        }
      />
    </Panel>
  );
}

function NoMatch({ status, many, onClear }: { status: SmsStatus; many: string; onClear: () => void }) {
  const { word, meaning } = meaningOf('message', status);
  return (
    <EmptyState title={`No ${word.toLowerCase()} ${many}.`} actions={<Button onClick={onClear}>Clear filters</Button>}>
      {word}: {meaning}
    </EmptyState>
  );
}
