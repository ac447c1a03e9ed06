import type { ApiKey } from '@jobline/client';
import { MAX_PAGE_LIMIT } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { KeyRound, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useList, useMembers } from '../../api/use-list.js';
import { isPast } from '../../format/index.js';
import { useApi } from '../../services.js';
import { useMe } from '../../session/use-session.js';
import { DeleteDialog } from '../../shell/confirm-dialog.js';
import { ListTable, RowToggle } from '../../shell/list-table.js';
import {
  actionsColumn,
  Button,
  type Column,
  EmptyState,
  Fact,
  FilterChip,
  Panel,
  Time,
  TONE_TEXT,
  timeColumn,
  useNow,
} from '../../ui/index.js';
import { ChangeKey, RotateKey } from './key-form.js';
import { groupsOf, scopeWords } from './model.js';

const route = getRouteApi('/app/keys');

export function KeyList({ onCreate }: { onCreate: () => void }) {
  const { created_by: createdBy, id: openId, rotate, change } = route.useSearch();
  const navigate = useNavigate();
  const filter: { created_by?: string } = createdBy ? { created_by: createdBy } : {};
  const list = useList('listApiKeys', filter);
  const rows = list.rows ?? [];
  const ids = rows.map(({ created_by }) => created_by);
  const nameOf = useCreators(createdBy ? [createdBy, ...ids] : ids);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const shown = { ...filter, ...(openId !== undefined && { id: openId }) };
  const go = (search: object) => void navigate({ to: '/keys', search, replace: true, resetScroll: false });
  const changed = rows.find(({ id }) => id === change);
  const rotated = rows.find(({ id }) => id === rotate);
  const columns: Column<ApiKey>[] = [
    {
      header: 'Name',
      card: 'title',
      cell: ({ id, name, prefix, created_by }) => (
        <span className="block min-w-0 py-1.5">
          <RowToggle
            to="/keys"
            search={id === openId ? filter : { ...filter, id }}
            replace
            resetScroll={false}
            isOpen={id === openId}
          >
            {name}
          </RowToggle>
          <span className="block truncate pl-[22px] text-meta text-muted">
            <span className="font-mono">{prefix}…</span> · {nameOf(created_by)}
          </span>
        </span>
      ),
    },
    {
      header: 'Scopes',
      width: '232px',
      from: 'lg',
      cell: ({ scopes }) => (
        <span className="flex flex-wrap gap-x-3 py-1.5 text-meta">
          {scopeWords(scopes).map((words) => (
            <span key={words}>{words}</span>
          ))}
        </span>
      ),
    },
    { header: 'Job types', width: '176px', from: 'xl', cell: ({ types }) => <Types types={types} /> },
    { header: 'Expires', width: '160px', cell: (key) => <KeyExpiry of={key} /> },
    timeColumn({ header: 'Last used', width: '96px', from: 'xl', unknown: 'never' }, (key) => key.last_used_at),
    actionsColumn('216px', (key) => {
      const isValid = !isPast(key.expires_at, Date.now());
      const action = (verb: string, onClick: () => void) => ({ verb, label: `${verb} ${key.name}`, onClick });
      return [
        isValid && action('Change', () => go({ ...shown, change: key.id })),
        isValid && key.replaced_by === null && action('Rotate', () => go({ ...shown, rotate: key.id })),
        action('Revoke', () => setRevoking(key)),
      ];
    }),
  ];
  return (
    <Panel padding="none">
      {createdBy && (
        <div className="border-b border-line px-4 py-2">
          <FilterChip name="Created by" value={nameOf(createdBy)} onRemove={() => go({})} />
        </div>
      )}
      <ListTable
        shortcuts="API keys"
        list={list}
        what="key"
        caption="API keys"
        columns={columns}
        currentId={openId ?? null}
        detail={(key) => (
          <KeyDetail
            of={key}
            creator={nameOf(key.created_by)}
            replacement={rows.find(({ id }) => id === key.replaced_by)}
          />
        )}
        empty={
          createdBy ? (
            <EmptyState
              title="This user has no keys."
              actions={<Button onClick={() => go({})}>Clear filters</Button>}
            />
          ) : (
            <EmptyState icon={<KeyRound />} title="No keys." actions={<Button onClick={onCreate}>Create key</Button>}>
              With a key, a program can submit and read jobs. You choose what else it may do.
            </EmptyState>
          )
        }
      />
      {changed && <ChangeKey changed={changed} onClose={() => go(shown)} />}
      {rotated && <RotateKey rotated={rotated} onClose={() => go(shown)} />}
      {revoking && (
        <DeleteDialog
          from="listApiKeys"
          remove={(api) => api.keys.delete(revoking.id)}
          title={`Revoke “${revoking.name}”?`}
          verb="Revoke"
          onClose={() => setRevoking(null)}
        >
          Programs that use <span className="font-mono">{revoking.prefix}…</span> lose access within five seconds. This
          cannot be undone. Jobs that they have submitted continue.
        </DeleteDialog>
      )}
    </Panel>
  );
}

/** Returns the names of users who created keys: the email of members, or that in the audit log of former members. */
function useCreators(ids: readonly (string | null)[]): (id: string | null) => string {
  const api = useApi();
  const { user } = useMe();
  const members = useMembers().rows;
  const isMissing = members !== undefined && ids.some((id) => id !== null && !members.some((one) => one.id === id));
  const removed = useQuery({
    queryKey: ['audit', 'removed'],
    queryFn: ({ signal }) =>
      api.page('listAudit', { query: { action: 'member.removed', limit: MAX_PAGE_LIMIT } }, { signal }),
    enabled: isMissing,
  });
  return (id) => {
    if (id === null) return 'A deleted account';
    if (id === user.id) return 'You';
    const member = members?.find((one) => one.id === id);
    if (member) return member.email;
    const left = removed.data?.data.find(({ target }) => target?.id === id)?.target;
    if (left) return `${left.name} (removed)`;
    return isMissing && !removed.isPending ? 'A former member' : '…';
  };
}

const SHOWN_TYPES = 2;

/** `all`, `none`, or `send_email, webhook +3`. */
function Types({ types }: Pick<ApiKey, 'types'>) {
  if (types === null || types.length === 0) return <span className="text-muted">{types ? 'none' : 'all'}</span>;
  const more = types.length - SHOWN_TYPES;
  return (
    <span title={types.join(', ')} className="flex gap-1.5 text-muted">
      <span className="truncate">{types.slice(0, SHOWN_TYPES).join(', ')}</span>
      {more > 0 && <span className="shrink-0">+{more}</span>}
    </span>
  );
}

const SOON_MS = 7 * 24 * 3_600_000;

/** When a key expires: `never`, `in 3 d` with a warning, `Expired 2 h ago`, `Replaced; ends in 23 h`. */
function KeyExpiry({ of }: { of: ApiKey }) {
  const now = useNow();
  const { expires_at: at, replaced_by: replacedBy } = of;
  if (at === null) return <span className="text-muted">never</span>;
  if (isPast(at, now)) return <Words tone="failed" before={replacedBy ? 'Replaced; ended' : 'Expired'} at={at} />;
  if (replacedBy) return <Words tone="warning" before="Replaced; ends" at={at} />;
  if (Date.parse(at) - now < SOON_MS) return <Words tone="warning" at={at} />;
  return <Time value={at} className="text-muted" />;
}

function Words({ tone, before, at }: { tone: 'warning' | 'failed'; before?: string; at: string }) {
  return (
    <span className={`inline-flex max-w-full items-center gap-1.5 ${TONE_TEXT[tone]}`}>
      <TriangleAlert size={14} className="shrink-0" />
      <span className="min-w-0 text-wrap">
        {before} <Time value={at} />
      </span>
    </span>
  );
}

/** The details of a key: each scope, all job types, and its times. The replacement is undefined if it is not loaded. */
function KeyDetail({ of, creator, replacement }: { of: ApiKey; creator: string; replacement: ApiKey | undefined }) {
  const { name, scopes, types, created_at: createdAt, expires_at: expiresAt, last_used_at: lastUsedAt } = of;
  return (
    <section aria-label={name} className="border-t border-line p-4 sm:pl-10">
      <dl className="grid max-w-3xl gap-x-6 gap-y-1 text-body leading-6 max-sm:[&>dd]:mb-2 sm:grid-cols-[6rem_1fr] sm:gap-y-3 [&>dt]:text-meta [&>dt]:leading-6">
        <Fact name="Scopes">
          <ul>
            {groupsOf(scopes)
              .flatMap((group) => group.scopes)
              .map(({ scope, sentence }) => (
                <li key={scope}>
                  <span className="font-mono text-mono">{scope}</span> <span className="text-muted">{sentence}</span>
                </li>
              ))}
          </ul>
        </Fact>
        <Fact name="Job types">
          {types?.length ? <span className="font-mono text-mono">{types.join(', ')}</span> : types ? 'none' : 'all'}
        </Fact>
        <Fact name="Created">
          <Time value={createdAt} form="full" /> by {creator === 'You' ? 'you' : creator}
        </Fact>
        <Fact name="Last used">
          <Time value={lastUsedAt} form="full" unknown="never" />
        </Fact>
        <Fact name="Expires">
          <Time value={expiresAt} form="full" unknown="never" />
        </Fact>
        {replacement && (
          <Fact name="Replaced by">
            <span className="font-mono text-mono">{replacement.prefix}…</span>
          </Fact>
        )}
      </dl>
    </section>
  );
}
