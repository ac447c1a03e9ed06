import type { ApiKey } from '@jobline/client';
import { isExpired } from '../../product/api-key.js';
import { RowToggle } from '../../shell/row-toggle.js';
import { Button, type Column, timeColumn } from '../../ui/index.js';
import { KeyExpiry } from './key-expiry.js';
import { scopeWords } from './scopes.js';

export interface KeyColumnsProps {
  /** The parameters of the page's address when the details of a key are open or closed. */
  searchOf: (key: ApiKey) => { search: object; isOpen: boolean };
  nameOf: (id: string | null) => string;
  onRotate: (key: ApiKey) => void;
  onRevoke: (key: ApiKey) => void;
}

const SHOWN_TYPES = 2;

export function keyColumns({ searchOf, nameOf, onRotate, onRevoke }: KeyColumnsProps): Column<ApiKey>[] {
  return [
    {
      header: 'Name',
      card: 'title',
      cell: (key) => (
        <span className="block min-w-0 py-1.5">
          <RowToggle to="/keys" replace resetScroll={false} {...searchOf(key)}>
            {key.name}
          </RowToggle>
          <span className="block truncate pl-[22px] text-meta text-muted">
            <span className="font-mono">{key.prefix}…</span> · {nameOf(key.created_by)}
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
    {
      header: 'Actions',
      hideHeader: true,
      width: '152px',
      align: 'end',
      card: 'line',
      cell: (key) => (
        <span className="-mr-2.5 flex justify-end max-sm:-ml-2.5 max-sm:justify-start">
          {key.replaced_by === null && !isExpired(key, Date.now()) && (
            <Button variant="ghost" size="small" aria-label={`Rotate ${key.name}`} onClick={() => onRotate(key)}>
              Rotate
            </Button>
          )}
          <Button variant="ghost" size="small" aria-label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
            Revoke
          </Button>
        </span>
      ),
    },
  ];
}

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
