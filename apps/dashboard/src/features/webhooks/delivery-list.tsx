import { DELIVERED_EVENTS, DELIVERY_STATUSES, NAME_PATTERN } from '@jobline/contracts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { CreatedFilter } from '../../product/created-filter.js';
import { JobLink } from '../../product/job/job-link.js';
import { StatusBadge } from '../../product/status.js';
import { ListTable } from '../../shell/list-table.js';
import { useSearchChange } from '../../shell/use-search-change.js';
import { useDebounced } from '../../ui/hooks.js';
import {
  Button,
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
import { useLatest } from '../../ui/use-latest.js';
import { DeliveryPanel } from './delivery-panel.js';
import { type Delivery, useDeliveries, type Webhook } from './queries.js';

const route = getRouteApi('/app/webhooks');
const ALL = 'all';
const STATUSES = [
  { value: ALL, label: 'All' },
  ...DELIVERY_STATUSES.map((status) => ({ value: status, label: `${status[0]?.toUpperCase()}${status.slice(1)}` })),
] as const;
const EVENTS = [
  { value: ALL, label: 'Any event' },
  ...DELIVERED_EVENTS.map((event) => ({ value: event, label: event })),
] as const;

/** The deliveries to a webhook. The open one is shown next to them. */
export function DeliveryList({ webhook }: { webhook: Webhook }) {
  const search = route.useSearch();
  const { id: _id, org: _org, rotate: _rotate, delivery, ...filter } = search;
  const { status, event, status_code: code, job } = filter;
  const navigate = useNavigate();
  const list = useDeliveries(webhook.id, filter);
  const [clearings, setClearings] = useState(0);
  const go = useSearchChange<typeof search>({ replace: true });
  const show = (change: Parameters<typeof go>[0]) => go({ delivery: undefined, ...change });
  const clear = () => {
    setClearings(clearings + 1);
    void navigate({ to: '/webhooks', search: { id: webhook.id }, replace: true, resetScroll: false });
  };
  return (
    <Panel
      title="Deliveries"
      padding="none"
      actions={
        <SegmentedControl
          label="Status"
          options={STATUSES}
          value={status ?? ALL}
          onChange={(value) => show({ status: value === ALL ? undefined : value })}
        />
      }
    >
      <div key={clearings} className="flex flex-wrap gap-2 border-b border-line px-4 py-3">
        <Select
          label="Event"
          options={EVENTS}
          value={event ?? ALL}
          onChange={(value) => show({ event: value === ALL ? undefined : value })}
          className="w-52!"
        />
        <TextFilter
          label="Job ID"
          className="w-52"
          pattern={NAME_PATTERN}
          value={job}
          onChange={(next) => show({ job: next })}
        />
        <TextFilter
          label="Status code"
          className="w-32"
          pattern={/^[1-5]\d\d$/}
          value={code?.toString()}
          onChange={(next) => show({ status_code: next === undefined ? undefined : Number(next) })}
        />
        <CreatedFilter range={filter} onChange={show} />
      </div>
      <ListTable
        shortcuts="Deliveries"
        list={list}
        what="delivery"
        many="deliveries"
        caption="Deliveries"
        columns={COLUMNS}
        currentId={delivery ?? null}
        skeletonRows={5}
        empty={
          Object.keys(filter).length > 0 ? (
            <EmptyState title="No such deliveries." actions={<Button onClick={clear}>Clear filters</Button>} />
          ) : (
            <EmptyState title="No deliveries yet.">Send a test event to see one.</EmptyState>
          )
        }
      />
      {delivery !== undefined && <DeliveryPanel webhook={webhook} id={delivery} onClose={() => show({})} />}
    </Panel>
  );
}

const TYPING_MS = 300;

interface TextFilterProps {
  label: string;
  pattern: RegExp;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  className: string;
}

/** A filter that is typed. It applies when the user has stopped typing, once the text is valid. */
function TextFilter({ label, pattern, value, onChange, className }: TextFilterProps) {
  const [typed, setTyped] = useState(value ?? '');
  const settled = useDebounced(typed.trim(), TYPING_MS);
  const isValid = settled === '' || pattern.test(settled);
  const latest = useLatest({ value, onChange });
  useEffect(() => {
    const next = settled === '' ? undefined : settled;
    if (isValid && next !== latest.current.value) latest.current.onChange(next);
  }, [settled, isValid, latest]);
  return (
    <div className={className}>
      <Input
        type="search"
        exact
        aria-label={label}
        placeholder={label}
        aria-invalid={!isValid}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </div>
  );
}

const COLUMNS: Column<Delivery>[] = [
  {
    header: 'Event',
    card: 'title',
    cell: ({ id, event }) => (
      <Link
        from="/webhooks"
        to="/webhooks"
        search={(now) => ({ ...now, delivery: id })}
        replace
        resetScroll={false}
        className={rowLinkClasses}
      >
        {event}
      </Link>
    ),
  },
  {
    header: 'Job',
    width: '160px',
    cell: ({ job_id: id }) => (id === undefined ? <span className="text-muted">–</span> : <JobLink id={id} />),
  },
  {
    header: 'Status',
    width: '136px',
    card: 'end',
    cell: (delivery) => <StatusBadge kind="delivery" status={delivery.status} />,
  },
  textColumn({ header: 'Latest answer', width: '22%', from: 'lg', className: 'text-muted' }, answerOf),
  textColumn({ header: 'Attempts', width: '88px', align: 'end' }, ({ attempts }) => attempts.toLocaleString()),
  timeColumn(
    { header: 'Next attempt', width: '120px', from: 'xl', unknown: '–' },
    (delivery) => delivery.next_attempt_at,
  ),
  timeColumn({ header: 'Created', width: '120px' }, ({ created_at }) => created_at),
];

/** The latest answer of the receiver in short: "500", "no answer: connect ECONNREFUSED", or nothing before the first attempt. */
function answerOf({ attempts, last_status: status, last_error: error }: Delivery): string {
  if (attempts === 0) return '';
  if (status !== null) return String(status);
  return error === null ? 'no answer' : `no answer: ${error}`;
}
