import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, type Schemas, takePage } from '../../api/api-client.js';
import { useApi } from '../../services.js';
import { announce, Button, Confirm } from '../../ui/index.js';

const PAGE_SIZE = 1_000;

/** For an address of which it is known only that it is suppressed. */
export function LiftSuppression({ address, onLifted }: { address: string; onLifted: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const api = useApi();
  const lift = useLift(() => {
    setOpen(false);
    onLifted();
  });
  const find = useMutation({
    mutationFn: () => findSuppression(api, address),
    onSuccess: (found) => (found ? lift.mutate(found) : onLifted()), // somebody else has removed it
  });
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Remove the suppression
      </Button>
      <ConfirmLift
        address={isOpen ? address : null}
        onClose={() => setOpen(false)}
        onConfirm={() => find.mutate()}
        busy={find.isPending || lift.isPending}
        error={(find.error ?? lift.error)?.message}
      />
    </>
  );
}

export interface ConfirmLiftProps {
  /** Null: it is closed. */
  address: string | null;
  onClose: () => void;
  onConfirm: () => void;
  busy: boolean;
  error: string | undefined;
}

export function ConfirmLift({ address, onClose, ...rest }: ConfirmLiftProps) {
  return (
    <Confirm
      open={address !== null}
      onOpenChange={(open) => !open && onClose()}
      title={`Remove the suppression of ${address ?? ''}?`}
      verb="Remove"
      {...rest}
    >
      It is written to again, until it bounces or complains anew. Mail to people who do not want it harms your standing
      with their providers.
    </Confirm>
  );
}

/** Lets an address be written to again. */
export function useLift(onDone: () => void) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Schemas['Suppression']) => api.DELETE('/org/suppressions/{id}', { params: { path: { id } } }),
    onSuccess(_, { address }) {
      announce(`${address} can be written to again`); // a toast would lie over the button that sends
      onDone();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['suppressions'] }),
  });
}

async function findSuppression(api: Api, address: string): Promise<Schemas['Suppression'] | null> {
  const wanted = address.toLowerCase();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: { limit: number; cursor?: string } = { limit: PAGE_SIZE, ...(cursor !== '' && { cursor }) };
    const page = await takePage(api.GET('/org/suppressions', { params: { query } }));
    const found = page.items.find((one) => one.address.toLowerCase() === wanted);
    if (found) return found;
    cursor = page.next;
  }
  return null;
}
