import type { Schemas } from '@jobline/client';
import { useAction, useChange } from '../../api/use-change.js';
import { useList } from '../../api/use-list.js';
import { useCan } from '../../session/use-session.js';
import { ListTable } from '../../shell/list-table.js';
import { actionColumn, Badge, type Column, Panel, textColumn } from '../../ui/index.js';
import { type Limit, useLimits, useSaveLimit } from './queries.js';

type JobType = Schemas['JobType'] & { id: string };

const POLL_EVERY_MS = 10_000;

/** The job types, each with a button that pauses or resumes it. */
export function TypeList() {
  const canChange = useCan()('limits');
  const types = useList('listJobTypes', undefined, POLL_EVERY_MS);
  const limitList = useLimits();
  const limits = limitList.rows ?? [];
  const save = useSaveLimit();
  const pause = useAction((type: string) => save(pauseName(type), { types: [type], paused: true }));
  const resume = useAction(useChange((api, type: string) => api.limits.delete(pauseName(type)), 'listLimits'));
  const pauseColumn = actionColumn<JobType>('Pause or resume', ({ type }) => {
    const paused = pausedBy(limits, type);
    // A limit with other bounds is resumed in the list of limits.
    if ((paused.length > 0 && !isOwn(paused, type)) || pauseName(type).length > MAX_NAME_LENGTH) return null;
    const [verb, action] = paused.length > 0 ? (['Resume', resume] as const) : (['Pause', pause] as const);
    return { verb, label: `${verb} ${type}`, onClick: () => action.mutate(type) };
  });
  const columns: Column<JobType>[] = [
    textColumn({ header: 'Type', card: 'title', className: 'font-medium' }, ({ type }) => type),
    {
      header: 'State',
      width: '40%',
      cell: ({ type }) => {
        const paused = pausedBy(limits, type);
        if (paused.length === 0) return <span className="text-muted">Jobs start</span>;
        return <Badge tone="warning">{isOwn(paused, type) ? 'Paused' : `Paused by ${paused[0]?.name}`}</Badge>;
      },
    },
    textColumn({ header: 'Workers', width: '88px', from: 'lg' }, ({ workers }) => workers.toLocaleString()),
  ];
  return (
    <Panel padding="none">
      <ListTable
        list={{
          ...types,
          refetching: false,
          error: types.error ?? limitList.error,
          refetch: () => Promise.all([types.refetch(), limitList.refetch()]),
          // Without the limits, it is not known which types are paused.
          rows: limitList.rows && types.rows?.map((one) => ({ ...one, id: one.type })),
        }}
        what="job type"
        caption="Job types"
        columns={canChange ? [...columns, pauseColumn] : columns}
        skeletonRows={9}
      />
    </Panel>
  );
}

function pausedBy(limits: readonly Limit[], type: string): Limit[] {
  return limits.filter(({ paused, types }) => paused && types.includes(type));
}

/** Whether only the button of this page has paused the type. */
function isOwn(paused: readonly Limit[], type: string): boolean {
  return paused.length === 1 && paused[0]?.name === pauseName(type);
}

const MAX_NAME_LENGTH = 64;

/** The name of the limit with which this page pauses a type. Types with long names cannot be paused here. */
function pauseName(type: string): string {
  return `pause:${type}`;
}
