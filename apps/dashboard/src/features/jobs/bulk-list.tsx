import { MAX_PAGE_LIMIT } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { useAction, useRefetch } from '../../api/use-change.js';
import { useList } from '../../api/use-list.js';
import { UNKNOWN } from '../../format/index.js';
import { useApi } from '../../services.js';
import { useCan, useMe } from '../../session/use-session.js';
import { ListTable } from '../../shell/list-table.js';
import { actionsColumn, EmptyState, Panel, rowLinkClasses, textColumn, timeColumn } from '../../ui/index.js';
import { type BulkAction, bulkSentence, bulkWords, filtersOfBulk, progressText } from './bulk-words.js';
import { NO_FILTERS } from './model.js';

const LIST = 'listBulks';
const POLL_EVERY_MS = 5_000;

/** The bulk actions of the organization, the newest first: what, how far, by whom and when. Those that run can be stopped. */
export function BulkList() {
  const api = useApi();
  const list = useList(LIST, { include: 'starter' }, POLL_EVERY_MS);
  const refetch = useRefetch(LIST, 'bulk');
  const stop = useAction((id: string) => api.jobs.bulks.stop(id).finally(() => void refetch()));
  const starter = useStarterColumn();
  const actions = actionsColumn<BulkAction>('80px', (bulk) => [
    bulk.status === 'running' && {
      verb: 'Stop',
      label: `Stop: ${bulkWords(bulk)}`,
      onClick: () => stop.mutate(bulk.id),
    },
  ]);
  return (
    <Panel padding="none">
      <ListTable
        list={{ ...list, refetching: false }}
        what="bulk action"
        caption="Bulk actions, newest first"
        columns={[
          { header: 'What', card: 'title', cell: (bulk) => <What bulk={bulk} /> },
          textColumn<BulkAction>({ header: 'Result', width: '34%', className: 'tabular-nums' }, (bulk) =>
            bulk.status === 'running' ? `Running: ${progressText(bulk)}` : bulkSentence(bulk),
          ),
          timeColumn<BulkAction>({ header: 'Started', width: '120px' }, ({ created_at }) => created_at),
          starter,
          actions,
        ]}
        empty={
          <EmptyState icon={<ListChecks />} title="No bulk actions">
            Actions on all jobs that match a filter, or on a group of failures, are listed here as long as jobs are
            kept.
          </EmptyState>
        }
      />
    </Panel>
  );
}

/** What an action was asked for, as a link to the jobs that match now, if a list can filter by it. */
function What({ bulk }: { bulk: BulkAction }) {
  const [filters, words] = [filtersOfBulk(bulk), bulkWords(bulk)];
  if (!filters) return <span title={words}>{words}</span>;
  return (
    <Link
      to="/"
      search={(now) => ({ ...now, ...NO_FILTERS, view: undefined, ...filters })}
      title={`${words}. Opens the jobs that match now.`}
      className={rowLinkClasses}
    >
      {words}
    </Link>
  );
}

const ALL = { limit: MAX_PAGE_LIMIT };

/** Who started an action, as far as the user may see the members and the API keys. */
function useStarterColumn() {
  const api = useApi();
  const { user } = useMe();
  const { data } = useQuery({
    queryKey: ['bulk-starters'],
    queryFn: async ({ signal }) => {
      const [members, keys] = await Promise.all([
        api.page('listMembers', { query: ALL }, { signal }),
        api.keys.list(ALL, { signal }),
      ]);
      return new Map([
        ...members.data.map(({ id, email }) => [id, email] as const),
        ...keys.data.map(({ id, name }) => [id, `API key ${name}`] as const),
      ]);
    },
    enabled: useCan()('read_members'),
  });
  return textColumn<BulkAction>(
    { header: 'By', width: '18%', className: 'text-muted' },
    ({ created_by: by, api_key: key }) => {
      if (by === user.id) return 'You';
      const id = by ?? key;
      if (id === undefined) return UNKNOWN;
      return data?.get(id) ?? (by === undefined ? 'An API key' : 'A member');
    },
  );
}
