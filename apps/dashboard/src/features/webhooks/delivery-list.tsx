import { DELIVERED_EVENTS, DELIVERY_STATUSES } from '@jobline/contracts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { StatusBadge } from '../../product/status.js';
import { ListTable } from '../../shell/list-table.js';
import {
  type Column,
  EmptyState,
  Input,
  Panel,
  rowLinkClasses,
  SegmentedControl,
  Select,
  textColumn,
  timeColumn,
} from '../../ui/index.js';
import { DeliveryPanel } from './delivery-panel.js';
import { type Delivery, type DeliveryFilter, filterOf, useDeliveries, type Webhook } from './queries.js';

const route = getRouteApi('/app/webhooks');
const ALL = 'all';
const FILTERS = [
  { value: ALL, label: 'All' },
  ...DELIVERY_STATUSES.map((status) => ({ value: status, label: `${status[0]?.toUpperCase()}${status.slice(1)}` })),
] as const;
const EVENTS = [
  { value: ALL, label: 'Any event' },
  ...DELIVERED_EVENTS.map((event) => ({ value: event, label: event })),
] as const;

/** The deliveries to a webhook. The open one is shown next to them. */
export function DeliveryList({ webhook }: { webhook: Webhook }) {
  const { id } = webhook;
  const { delivery, ...shown } = route.useSearch();
  const navigate = useNavigate();
  const filter = filterOf(shown);
  const { status, event, status_code: code } = filter;
  const list = useDeliveries(id, filter);
  const show = (change: Parameters<typeof filterOf>[0]) =>
    void navigate({
      to: '/webhooks',
      search: { id, ...filterOf({ ...filter, ...change }) },
      replace: true,
      resetScroll: false,
    });
  return (
    <Panel
      title="Deliveries"
      padding="none"
      actions={
        <SegmentedControl
          label="Status"
          options={FILTERS}
          value={status ?? ALL}
          onChange={(value) => show({ status: DELIVERY_STATUSES.find((one) => one === value) })}
        />
      }
    >
      <div className="flex flex-wrap gap-2 border-b border-line px-4 py-3">
        <div className="w-52">
          <Select
            label="Event"
            options={EVENTS}
            value={event ?? ALL}
            onChange={(value) => show({ event: value === ALL ? undefined : value })}
          />
        </div>
        <div className="w-36">
          <CodeFilter code={code} onChange={(next) => show({ status_code: next })} />
        </div>
      </div>
      <ListTable
        shortcuts="Deliveries"
        list={list}
        what="delivery"
        many="deliveries"
        caption="Deliveries"
        columns={columns(id, filter)}
        currentId={delivery ?? null}
        skeletonRows={5}
        empty={
          event !== undefined || code !== undefined ? (
            <EmptyState title="No such deliveries." />
          ) : status === undefined ? (
            <EmptyState title="No deliveries yet.">Send a test event to see one.</EmptyState>
          ) : (
            <EmptyState title={`No ${status} deliveries.`} />
          )
        }
      />
      {delivery !== undefined && <DeliveryPanel webhook={webhook} id={delivery} onClose={() => show({})} />}
    </Panel>
  );
}

/** An input for the status of the latest answer. It applies once three digits are typed. */
function CodeFilter({ code, onChange }: { code: number | undefined; onChange: (code: number | undefined) => void }) {
  const [typed, setTyped] = useState(code?.toString() ?? '');
  const isComplete = /^[1-5]\d\d$/.test(typed);
  return (
    <Input
      aria-label="Status code of the latest answer"
      inputMode="numeric"
      placeholder="Any status code"
      maxLength={3}
      value={typed}
      aria-invalid={typed.length === 3 && !isComplete}
      onChange={({ target: { value } }) => {
        setTyped(value);
        if (/^([1-5]\d\d)?$/.test(value)) onChange(value === '' ? undefined : Number(value));
      }}
    />
  );
}

function columns(id: string, filter: DeliveryFilter): Column<Delivery>[] {
  return [
    {
      header: 'Event',
      card: 'title',
      cell: ({ id: delivery, event }) => (
        <Link
          to="/webhooks"
          search={{ id, ...filter, delivery }}
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
