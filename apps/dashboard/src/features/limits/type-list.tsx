import type { JobType } from '@jobline/client';
import { useAction, useChange } from '../../api/use-change.js';
import { useList } from '../../api/use-list.js';
import { useCan } from '../../session/use-session.js';
import { ListTable } from '../../shell/list-table.js';
import { actionColumn, Badge, type Column, Panel, textColumn } from '../../ui/index.js';
import { type Limit, useLimits, useSaveLimit } from './queries.js';

const POLL_EVERY_MS = 10_000;

/** The job types, each with a button that pauses or resumes it. */
export function TypeList() {
  const canChange = useCan()('limits');
  const types = useList('listJobTypes', undefined, POLL_EVERY_MS);
  const limits = useLimits();
  const save = useSaveLimit();
  const pause = useAction((type: string) => save(pauseName(type), { types: [type], paused: true }));
  const resume = useAction(useChange((api, type: string) => api.limits.delete(pauseName(type)), 'listLimits'));
  const pauseColumn = actionColumn<TypeRow>('Pause or resume', ({ type, pausedBy, isOwn }) => {
    // A limit with other bounds is resumed in the list of limits.
    if ((pausedBy && !isOwn) || pauseName(type).length > MAX_NAME_LENGTH) return null;
    const [verb, action] = pausedBy ? (['Resume', resume] as const) : (['Pause', pause] as const);
    return { verb, label: `${verb} ${type}`, onClick: () => action.mutate(type) };
  });
  return (
    <Panel padding="none">
      <ListTable
        list={{
          ...types,
          refetching: false,
          error: types.error ?? limits.error,
          refetch: () => Promise.all([types.refetch(), limits.refetch()]),
          // Without the limits, it is not known which types are paused.
          rows: limits.rows && types.rows?.map((type) => rowOf(type, limits.rows ?? [])),
        }}
        what="job type"
        caption="Job types"
        columns={canChange ? [...COLUMNS, pauseColumn] : COLUMNS}
        skeletonRows={9}
      />
    </Panel>
  );
}

function rowOf(job: JobType, limits: readonly Limit[]) {
  const [first, ...others] = limits.filter(({ paused, types }) => paused && types.includes(job.type));
  /** Whether only the button of this page has paused the type. */
  const isOwn = others.length === 0 && first?.name === pauseName(job.type);
  return { ...job, id: job.type, pausedBy: first?.name, isOwn };
}

type TypeRow = ReturnType<typeof rowOf>;

const COLUMNS: readonly Column<TypeRow>[] = [
  textColumn({ header: 'Type', card: 'title', className: 'font-medium' }, ({ type }) => type),
  {
    header: 'State',
    width: '40%',
    cell: ({ pausedBy, isOwn }) => {
      if (!pausedBy) return <span className="text-muted">Jobs start</span>;
      return <Badge tone="warning">{isOwn ? 'Paused' : `Paused by ${pausedBy}`}</Badge>;
    },
  },
  textColumn({ header: 'Workers', width: '88px', from: 'lg' }, ({ workers }) => workers.toLocaleString()),
];

const MAX_NAME_LENGTH = 64;

/** The name of the limit with which this page pauses a type. Types with long names cannot be paused here. */
function pauseName(type: string): string {
  return `pause:${type}`;
}
