import { DELIVERY_STATUSES } from '@jobline/contracts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { StatusBadge } from '../../product/status.js';
import { ListTable } from '../../shell/list-table.js';
import {
  type Column,
  EmptyState,
  Panel,
  rowLinkClasses,
  SegmentedControl,
  textColumn,
  timeColumn,
} from '../../ui/index.js';
import { DeliveryPanel } from './delivery-panel.js';
import { type Delivery, useDeliveries, type Webhook } from './queries.js';

const route = getRouteApi('/app/webhooks');
const ALL = 'all';
const FILTERS = [
  { value: ALL, label: 'All' },
  ...DELIVERY_STATUSES.map((status) => ({ value: status, label: `${status[0]?.toUpperCase()}${status.slice(1)}` })),
] as const;

/** The deliveries to a webhook. The open one is shown next to them. */
export function DeliveryList({ webhook }: { webhook: Webhook }) {
  const { id } = webhook;
  const { status, delivery } = route.useSearch();
  const navigate = useNavigate();
  const list = useDeliveries(id, status);
  const filter = (value: string) =>
    void navigate({
      to: '/webhooks',
      search: { id, ...ofStatus(DELIVERY_STATUSES.find((one) => one === value)) },
      replace: true,
      resetScroll: false,
    });
  return (
    <Panel
      title="Deliveries"
      padding="none"
      actions={<SegmentedControl label="Status" options={FILTERS} value={status ?? ALL} onChange={filter} />}
    >
      <ListTable
        shortcuts="Deliveries"
        list={list}
        what="delivery"
        many="deliveries"
        caption="Deliveries"
        columns={columns(id, status)}
        currentId={delivery ?? null}
        skeletonRows={5}
        empty={
          status === undefined ? (
            <EmptyState title="No deliveries yet.">Send a test event to see one.</EmptyState>
          ) : (
            <EmptyState title={`No ${status} deliveries.`} />
          )
        }
      />
      {delivery !== undefined && (
        <DeliveryPanel
          webhook={webhook}
          id={delivery}
          onClose={() =>
            void navigate({ to: '/webhooks', search: { id, ...ofStatus(status) }, replace: true, resetScroll: false })
          }
        />
      )}
    </Panel>
  );
}

function ofStatus(status: Delivery['status'] | undefined) {
  return status ? { status } : {};
}

function columns(id: string, status: Delivery['status'] | undefined): Column<Delivery>[] {
  return [
    {
      header: 'Event',
      card: 'title',
      cell: ({ id: delivery, event }) => (
        <Link
          to="/webhooks"
          search={{ id, ...ofStatus(status), delivery }}
          replace
          resetScroll={false}
          className={rowLinkClasses}
        >
          {event}
        </Link>
      ),
    },
    {
      header: 'Status',
      width: '136px',
      card: 'end',
      cell: (delivery) => <StatusBadge kind="delivery" status={delivery.status} />,
    },
    textColumn({ header: 'Latest answer', width: '28%', from: 'lg', className: 'text-muted' }, answerOf),
    textColumn({ header: 'Attempts', width: '88px', align: 'end' }, ({ attempts }) => attempts.toLocaleString()),
    timeColumn(
      { header: 'Next attempt', width: '128px', from: 'lg', unknown: '–' },
      (delivery) => delivery.next_attempt_at,
    ),
    timeColumn({ header: 'Created', width: '120px' }, ({ created_at }) => created_at),
  ];
}

/** The latest answer of the receiver in short: "500", "no answer: connect ECONNREFUSED", or nothing before the first attempt. */
function answerOf({
  attempts,
  last_status: status,
  last_error: error,
}: Pick<Delivery, 'attempts' | 'last_status' | 'last_error'>): string {
  if (attempts === 0) return '';
  if (status !== null) return String(status);
  return error === null ? 'no answer' : `no answer: ${error}`;
}
