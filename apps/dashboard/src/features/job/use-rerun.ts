import { useNavigate } from '@tanstack/react-router';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';
import { toast } from '../../ui/index.js';

/** Submits a finished job again as a new job and opens it. Without a payload, it has the same one. */
export function useRerun(id: string): (payload?: Record<string, unknown>) => Promise<void> {
  const api = useApi();
  const keys = useIdempotencyKey('rerun');
  const navigate = useNavigate();
  return async (payload) => {
    const changes = payload && { payload };
    const rerun = await api.jobs.rerun(id, { ...changes, idempotencyKey: keys.of({ id, ...changes }) });
    keys.forget();
    toast.success('Submitted again as a new job');
    await navigate({ to: '/job/$id', params: { id: rerun.id } });
  };
}
