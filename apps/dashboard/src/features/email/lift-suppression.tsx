import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, takePage } from '../../api/api-client.js';
import { useApi } from '../../services.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { announce, Button } from '../../ui/index.js';

const PAGE_SIZE = 1_000;

/** For an address of which it is known only that it is suppressed. */
export function LiftSuppression({ address, onLifted }: { address: string; onLifted: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Remove the suppression
      </Button>
      {isOpen && <ConfirmLift address={address} onLifted={onLifted} onOver={() => setOpen(false)} />}
    </>
  );
}

export interface ConfirmLiftProps {
  address: string;
  /** The suppression's, where it is known. */
  id?: string;
  onLifted?: () => void;
  /** It is lifted, or left as it is. */
  onOver: () => void;
}

/** Asks, and lets an address be written to again. */
export function ConfirmLift({ address, id, onLifted, onOver }: ConfirmLiftProps) {
  const api = useApi();
  const queries = useQueryClient();
  const lift = async () => {
    try {
      const found = id ?? (await findSuppression(api, address));
      // Without one, somebody else has removed it.
      if (found !== null) await api.DELETE('/org/suppressions/{id}', { params: { path: { id: found } } });
    } finally {
      await queries.invalidateQueries({ queryKey: ['suppressions'] }); // the row, to which no focus can go back
    }
  };
  const done = () => {
    announce(`${address} can be written to again`); // a toast would lie over the button that sends
    onOver();
    onLifted?.();
  };
  return (
    <ConfirmDialog
      title={`Remove the suppression of ${address}?`}
      verb="Remove"
      run={lift}
      onDone={done}
      onClose={onOver}
    >
      It is written to again, until it bounces or complains anew. Mail to people who do not want it harms your standing
      with their providers.
    </ConfirmDialog>
  );
}

async function findSuppression(api: Api, address: string): Promise<string | null> {
  const wanted = address.toLowerCase();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: { limit: number; cursor?: string } = { limit: PAGE_SIZE, ...(cursor !== '' && { cursor }) };
    const page = await takePage(api.GET('/org/suppressions', { params: { query } }));
    const found = page.items.find((one) => one.address.toLowerCase() === wanted);
    if (found) return found.id;
    cursor = page.next;
  }
  return null;
}
