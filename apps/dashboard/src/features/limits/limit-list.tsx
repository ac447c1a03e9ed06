import { getRouteApi } from '@tanstack/react-router';
import { Gauge } from 'lucide-react';
import { useAction } from '../../api/use-change.js';
import { useCan } from '../../session/use-session.js';
import { ListTable, RowToggle } from '../../shell/list-table.js';
import { actionColumn, Badge, Button, type Column, cx, EmptyState, Panel, textColumn } from '../../ui/index.js';
import { LimitDetail } from './limit-detail.js';
import { boundsOf } from './model.js';
import { type Limit, useChangeLimit, useLimits } from './queries.js';

const route = getRouteApi('/app/limits');

export function LimitList({ onAdd, onEdit }: { onAdd: () => void; onEdit: (limit: Limit) => void }) {
  const { name } = route.useSearch();
  const canChange = useCan()('limits');
  const list = useLimits();
  const change = useChangeLimit();
  const pause = useAction((limit: Limit) => change(limit.name, { paused: !limit.paused }));
  const pauseColumn = actionColumn<Limit>('Pause or resume', (limit) => {
    const verb = limit.paused ? 'Resume' : 'Pause';
    return { verb, label: `${verb} ${limit.name}`, onClick: () => pause.mutate(limit) };
  });
  return (
    <Panel padding="none">
      <ListTable
        shortcuts="Limits"
        list={list}
        what="limit"
        caption="Limits"
        columns={canChange ? [...columnsOf(name), pauseColumn] : columnsOf(name)}
        currentId={name ?? null}
        detail={(limit) => <LimitDetail key={limit.name} limit={limit} onEdit={onEdit} />}
        empty={
          <EmptyState
            icon={<Gauge />}
            title="No limits. Jobs start as soon as a worker is free."
            actions={canChange && <Button onClick={onAdd}>Add limit</Button>}
          >
            {canChange
              ? 'A limit bounds how many jobs run at a time, how fast they start, and in which order. Jobs above it wait.'
              : 'Owners and admins can add a limit.'}
          </EmptyState>
        }
      />
    </Panel>
  );
}

function columnsOf(openName: string | undefined): Column<Limit>[] {
  return [
    {
      header: 'Limit',
      card: 'title',
      cell: ({ name, paused, held_since: heldSince }) => {
        const isOpen = name === openName;
        return (
          <span className="flex min-w-0 items-center gap-2">
            <RowToggle to="/limits" search={isOpen ? {} : { name }} replace resetScroll={false} isOpen={isOpen}>
              {name}
            </RowToggle>
            {paused && <Badge tone="warning">Paused</Badge>}
            {heldSince && <Badge tone="warning">Held</Badge>}
          </span>
        );
      },
    },
    textColumn({ header: 'Bounds', width: '30%', from: 'lg', className: 'text-muted' }, (limit) =>
      boundsOf(limit).join(' · '),
    ),
    { header: 'Running', width: '176px', cell: (limit) => <RunningBar limit={limit} /> },
    {
      header: 'Waiting',
      width: '88px',
      align: 'end',
      cell: ({ waiting }) => <span className="tabular-nums">{waiting.toLocaleString()}</span>,
    },
  ];
}

/** How many jobs of a limit run, as a number and, if the limit bounds them together, as a bar. */
function RunningBar({ limit }: { limit: Limit }) {
  const { running, concurrency, per } = limit;
  if (concurrency === null || per === 'key') return <span className="tabular-nums">{running.toLocaleString()}</span>;
  const share = Math.min(1, running / concurrency);
  return (
    <span className="flex items-center gap-2">
      <span
        aria-hidden="true"
        className="h-1.5 w-16 shrink-0 overflow-hidden rounded-full bg-running-tint forced-colors:border"
      >
        <span
          className={cx(
            'block h-full rounded-full',
            share === 1 ? 'bg-warning' : 'bg-running',
            'forced-colors:bg-[CanvasText]',
          )}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span className="tabular-nums">
        {running.toLocaleString()} of {concurrency.toLocaleString()}
      </span>
    </span>
  );
}
