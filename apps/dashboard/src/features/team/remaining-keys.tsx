import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { takePage } from '../../api/api-client.js';
import type { Member } from '../../api/use-members.js';
import { formatCount } from '../../format/index.js';
import { useApi } from '../../services.js';
import { buttonClasses, Callout, IconButton } from '../../ui/index.js';

/** Shown after a member was removed: the API keys that the member created and that still work. */
export function RemainingKeys({ member, onClose }: { member: Member; onClose: () => void }) {
  const api = useApi();
  const keys = useQuery({
    queryKey: ['keys', 'list', { created_by: member.id, only: 'count' }],
    queryFn: () => takePage(api.GET('/org/api-keys', { params: { query: { created_by: member.id } } })),
  });
  const { items = [], next = null } = keys.data ?? {};
  const hasKeys = items.length > 0;
  return (
    <Callout
      role="status"
      tone={hasKeys ? 'warning' : 'info'}
      title={`${member.email} is removed`}
      actions={
        <>
          {(hasKeys || keys.isError) && (
            <Link to="/keys" search={{ created_by: member.id }} className={buttonClasses('secondary', 'small')}>
              Review keys
            </Link>
          )}
          <IconButton label="Dismiss" icon={<X />} size="small" onClick={onClose} />
        </>
      }
    >
      {keys.isPending && 'Checking the API keys that they created…'}
      {keys.isError && 'API keys that they created, if any, still work.'}
      {keys.isSuccess &&
        (hasKeys
          ? `${next === null ? formatCount(items.length, 'API key') : 'More than 100 API keys'} that they created still ${items.length === 1 ? 'works' : 'work'}.`
          : 'They created no API keys, so they have no access left.')}
    </Callout>
  );
}
