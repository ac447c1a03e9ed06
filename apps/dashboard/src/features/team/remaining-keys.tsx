import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useList } from '../../api/use-list.js';
import type { Member } from '../../api/use-members.js';
import { formatCount } from '../../format/index.js';
import { isExpired } from '../../product/api-key.js';
import { buttonClasses, Callout, IconButton } from '../../ui/index.js';

/** Shown after a member was removed: the API keys that the member created and that still work. */
export function RemainingKeys({ member, onClose }: { member: Member; onClose: () => void }) {
  const { rows, hasMore, error } = useList('listApiKeys', { created_by: member.id });
  const count = rows?.filter((key) => !isExpired(key, Date.now())).length ?? 0;
  return (
    <Callout
      role="status"
      tone={count > 0 ? 'warning' : 'info'}
      title={`${member.email} is removed`}
      actions={
        <>
          {(count > 0 || error) && (
            <Link to="/keys" search={{ created_by: member.id }} className={buttonClasses('secondary', 'small')}>
              Review keys
            </Link>
          )}
          <IconButton label="Dismiss" icon={<X />} size="small" onClick={onClose} />
        </>
      }
    >
      {!rows &&
        (error ? 'API keys that they created, if any, still work.' : 'Checking the API keys that they created…')}
      {rows && count === 0 && 'They created no API keys, so they have no access left.'}
      {count > 0 &&
        `${hasMore ? 'More than 100 API keys' : formatCount(count, 'API key')} that they created still ${count === 1 ? 'works' : 'work'}.`}
    </Callout>
  );
}
