import { Link, useNavigate } from '@tanstack/react-router';
import { Copy, Ellipsis, Filter, RotateCw, Settings2, SquareArrowOutUpRight, X } from 'lucide-react';
import { formatCount, formatSpan, UNKNOWN } from '../../format/index.js';
import { StatusBadge } from '../../product/status.js';
import { useMe } from '../../session/use-session.js';
import {
  type Column,
  copyText,
  cx,
  Duration,
  IconButton,
  Menu,
  rowLinkClasses,
  ShortId,
  timeColumn,
  useNow,
  useStored,
} from '../../ui/index.js';
import { saveCsv } from './csv.js';
import { isEligible, type StartAction } from './list-actions.js';
import { COLUMNS, type ColumnName, DEFAULT_COLUMNS, type Filters, isFinished, type Job } from './model.js';

/** The columns that the user has chosen in this browser. */
export function useChosenColumns() {
  return useStored<readonly ColumnName[]>(`job-columns.${useMe().user.id}`, DEFAULT_COLUMNS, areColumns);
}

function areColumns(value: unknown): value is readonly ColumnName[] {
  return Array.isArray(value) && value.length <= COLUMNS.length && value.every(isChoosable);
}

function isChoosable(name: unknown): name is ColumnName {
  return COLUMNS.some((one) => one === name);
}

interface ListMenuProps {
  chosen: readonly ColumnName[];
  onChoose: (names: readonly ColumnName[]) => void;
  rows: readonly Job[];
}

/** A menu with the columns, and with a file of the rows that are loaded. */
export function ListMenu({ chosen, onChoose, rows }: ListMenuProps) {
  return (
    <Menu
      trigger={<IconButton label="Columns and CSV" icon={<Settings2 />} />}
      head="Columns"
      groups={[
        COLUMNS.map((name) => ({
          label: name,
          checked: chosen.includes(name),
          stays: true,
          onSelect: () => onChoose(COLUMNS.filter((one) => chosen.includes(one) !== (one === name))),
        })),
        [
          {
            label: 'Save as CSV',
            hint: `${formatCount(rows.length, 'row')}: those that are loaded, with these columns`,
            disabled: rows.length === 0,
            onSelect: () => saveCsv(rows, chosen),
          },
        ],
      ]}
    />
  );
}

export function shownColumns(all: readonly Column<Job>[], chosen: readonly ColumnName[]): Column<Job>[] {
  return all.filter(({ header }) => !isChoosable(header) || chosen.includes(header));
}

export function jobColumns(start: StartAction): Column<Job>[] {
  return [
    { header: 'Status', width: '120px', cell: ({ status }) => <StatusBadge kind="job" status={status} /> },
    {
      header: 'Type',
      cell: ({ type, tags }) => (
        <>
          <span title={type} className="block truncate font-mono text-mono leading-4">
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
    {
      header: 'Job',
      cell: ({ id }) => (
        <Link to="/job/$id" params={{ id }} title={id} className={cx(rowLinkClasses, 'font-mono text-mono')}>
          <ShortId value={id} keep={16} />
        </Link>
      ),
    },
    {
      // Whom or what the job is about, and why it failed, in a line each.
      header: 'Details',
      from: 'lg',
      cell: ({ status, about, error }) => (
        <>
          {about !== undefined && (
            <span title={about} className="block truncate leading-4">
              {about}
            </span>
          )}
          {status === 'failed' && error && (
            <span title={`${error.code}: ${error.message}`} className="block truncate text-meta text-failed">
              {error.message || error.code}
            </span>
          )}
        </>
      ),
    },
    {
      header: 'Retries',
      width: '84px',
      from: 'xl',
      cell: ({ retries, max_retries }) => (
        <span className="tabular-nums">
          {retries} of {max_retries}
        </span>
      ),
    },
    { header: 'Duration', width: '96px', from: 'lg', cell: (job) => <RunTime job={job} /> },
    timeColumn({ header: 'Created', width: '104px' }, ({ created_at }) => created_at),
    timeColumn({ header: 'Updated', width: '104px', from: 'lg' }, ({ updated_at }) => updated_at),
    {
      header: 'Actions',
      hideHeader: true,
      width: '60px',
      align: 'end',
      cell: (job) => <RowMenu job={job} start={start} />,
    },
  ];
}

/** How long the latest attempt took, or how long the job has been running. */
function RunTime({ job: { status, updated_at, duration_ms } }: { job: Job }) {
  const now = Math.max(useNow(), Date.now());
  if (status === 'pending') return UNKNOWN;
  if (status !== 'processing') return <Duration ms={duration_ms} />;
  return <span className="tabular-nums">{formatSpan(Math.max(0, now - Date.parse(updated_at)))}</span>;
}

function RowMenu({ job, start }: { job: Job; start: StartAction }) {
  const navigate = useNavigate();
  const { id, type, status, about } = job;
  const only = (name: string, filter: Filters) => ({
    label: `Only ${name}`,
    icon: <Filter />,
    onSelect: () => void navigate({ to: '/', search: (now) => ({ ...now, ...filter }) }),
  });
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
            disabled: isFinished(job),
            hint: isFinished(job) ? `This job is already ${status}.` : undefined,
            onSelect: () => start('cancel', [job]),
          },
        ],
        [
          { label: 'Copy ID', icon: <Copy />, onSelect: () => void copyText(id) },
          only(type, { type }),
          ...(about === undefined ? [] : [only(`about ${about}`, { about })]),
        ],
      ]}
    />
  );
}
