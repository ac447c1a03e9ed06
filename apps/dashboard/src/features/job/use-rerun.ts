import { useNavigate } from '@tanstack/react-router';
import { type Schemas, take } from '../../api/api-client.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';
import { toast } from '../../ui/index.js';

/** Submits a finished job again as a new job and opens it. Without a payload, it has the same one. */
export function useRerun(id: string): (payload?: Record<string, unknown>) => Promise<void> {
  const api = useApi();
  const keys = useIdempotencyKey('rerun');
  const navigate = useNavigate();
  return async (payload) => {
    // The cast: in the generated type, an object with any keys allows no keys.
    const body = (payload === undefined ? {} : { payload }) as RerunBody;
    const header = { 'Idempotency-Key': keys.of({ id, ...body }) };
    const rerun = await take(api.POST('/jobs/{id}/rerun', { params: { path: { id }, header }, body }));
    keys.forget();
    toast.success('Submitted again as a new job');
    await navigate({ to: '/job/$id', params: { id: rerun.id } });
  };
}

type RerunBody = { payload?: Schemas['Job']['payload'] };
