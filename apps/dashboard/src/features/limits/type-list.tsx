import type { Schemas } from '@jobline/client';
import { useAction } from '../../api/use-change.js';
import { useList } from '../../api/use-list.js';
import { useCan } from '../../session/use-session.js';
import { ListTable } from '../../shell/list-table.js';
import { Badge, Button, type Column, Panel, textColumn } from '../../ui/index.js';
import { type Limit, useDeleteLimit, useLimits, useSaveLimit } from './queries.js';

type JobType = Schemas['JobType'] & { id: string };

const POLL_EVERY_MS = 10_000;

/** The job types, each with a button that pauses or resumes it. */
export function TypeList() {
  const canChange = useCan()('limits');
  const types = useList('listJobTypes', undefined, POLL_EVERY_MS);
  const limitList = useLimits();
  const limits = limitList.rows ?? [];
  const save = useSaveLimit();
  const remove = useDeleteLimit();
  const pause = useAction((type: string) => save(pauseName(type), { types: [type], paused: true }));
  const resume = useAction((type: string) => remove(pauseName(type)));
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
        columns={[
          ...columns(limits),
          ...(canChange ? [pauseColumn(limits, { pause: pause.mutate, resume: resume.mutate })] : []),
        ]}
        skeletonRows={9}
      />
    </Panel>
  );
}

function columns(limits: readonly Limit[]): Column<JobType>[] {
  return [
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
}

function pauseColumn(
  limits: readonly Limit[],
  actions: { pause: (type: string) => void; resume: (type: string) => void },
): Column<JobType> {
  return {
    header: 'Pause or resume',
    hideHeader: true,
    width: '112px',
    align: 'end',
    card: 'end',
    cell: ({ type }) => {
      const paused = pausedBy(limits, type);
      // A limit with other bounds is resumed in the list of limits.
      if ((paused.length > 0 && !isOwn(paused, type)) || pauseName(type).length > MAX_NAME_LENGTH) return null;
      const verb = paused.length > 0 ? 'Resume' : 'Pause';
      return (
        <Button
          variant="ghost"
          size="small"
          className="-mr-2.5"
          aria-label={`${verb} ${type}`}
          onClick={() => (paused.length > 0 ? actions.resume : actions.pause)(type)}
        >
          {verb}
        </Button>
      );
    },
  };
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
