import { useQueryClient } from '@tanstack/react-query';
import { take } from '../../api/api-client.js';
import { useApi } from '../../services.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { KEYS_KEY, type Key } from './use-keys.js';

export function RevokeKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={`Revoke “${apiKey.name}”?`}
      verb="Revoke"
      run={async () => {
        await take(api.DELETE('/org/api-keys/{id}', { params: { path: { id: apiKey.id } } }));
        await queries.invalidateQueries({ queryKey: KEYS_KEY });
      }}
      onDone={onClose}
      onClose={onClose}
    >
      Programs that use <span className="font-mono">{apiKey.prefix}…</span> lose access within five seconds. This cannot
      be undone. Jobs that they have submitted continue.
    </ConfirmDialog>
  );
}
