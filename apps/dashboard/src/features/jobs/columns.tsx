import { Link, useNavigate } from '@tanstack/react-router';
import { Copy, Ellipsis, Filter, RotateCw, SquareArrowOutUpRight, X } from 'lucide-react';
import { truncateMiddle } from '../../format/index.js';
import { StatusBadge } from '../../product/status.js';
import { type Column, copyText, cx, IconButton, Menu, rowLinkClasses, timeColumn } from '../../ui/index.js';
import { isEligible, type StartAction } from './list-actions.js';
import type { Job } from './model.js';

/** The columns of the job list. They need only the fields of the API's job summary. */
export function jobColumns(start: StartAction): Column<Job>[] {
  return [
    {
      header: 'Status',
      width: '128px',
      cell: ({ status }) => <StatusBadge kind="job" status={status} />,
    },
    {
      header: 'Type',
      cell: ({ type, tags }) => (
        <>
          <span title={type} className="font-mono text-mono">
            {type}
          </span>
          {tags && (
            <span title={tags.join(', ')} className="block truncate text-meta text-muted">
              <span className="sr-only">Tags: </span>
              {tags.join(', ')}
            </span>
          )}
        </>
      ),
    },
    { header: 'Job', cell: ({ id }) => <JobLink id={id} /> },
    {
      header: 'Retries',
      width: '92px',
      cell: ({ retries, max_retries }) => (
        <span className="tabular-nums">
          {retries} of {max_retries}
        </span>
      ),
    },
    timeColumn({ header: 'Created', width: '112px' }, ({ created_at }) => created_at),
    timeColumn({ header: 'Updated', width: '112px', from: 'lg' }, ({ updated_at }) => updated_at),
    {
      header: 'Actions',
      hideHeader: true,
      width: '60px',
      align: 'end',
      cell: (job) => <RowMenu job={job} start={start} />,
    },
  ];
}

const SHOWN_CHARACTERS = 16;

function JobLink({ id }: { id: string }) {
  const short = truncateMiddle(id, SHOWN_CHARACTERS);
  return (
    <Link to="/job/$id" params={{ id }} title={id} className={cx(rowLinkClasses, 'font-mono text-mono')}>
      {short === id ? (
        id
      ) : (
        <>
          <span aria-hidden="true">{short}</span>
          <span className="sr-only">{id}</span>
        </>
      )}
    </Link>
  );
}

/** The menu with the actions for one job. */
function RowMenu({ job, start }: { job: Job; start: StartAction }) {
  const navigate = useNavigate();
  const { id, type, status } = job;
  const isFinished = !isEligible('cancel', job);
  return (
    <Menu
      trigger={<IconButton label={`Actions for ${type} ${id}`} tooltip="Actions" icon={<Ellipsis />} size="small" />}
      groups={[
        [
          {
            label: 'Open',
            icon: <SquareArrowOutUpRight />,
            keys: 'Enter',
            onSelect: () => void navigate({ to: '/job/$id', params: { id } }),
          },
          {
            label: 'Retry',
            icon: <RotateCw />,
            keys: 'r',
            disabled: !isEligible('retry', job),
            hint: isEligible('retry', job) ? undefined : 'Only failed jobs can be retried.',
            onSelect: () => start('retry', [job]),
          },
          {
            label: 'Cancel',
            icon: <X />,
            disabled: isFinished,
            hint: isFinished ? `This job is already ${status}.` : undefined,
            onSelect: () => start('cancel', [job]),
          },
        ],
        [
          { label: 'Copy ID', icon: <Copy />, onSelect: () => void copyText(id) },
          {
            label: `Only ${type}`,
            icon: <Filter />,
            onSelect: () => void navigate({ to: '/', search: (now) => ({ ...now, type }) }),
          },
        ],
      ]}
    />
  );
}
