import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Schemas, take } from '../../api/api-client.js';
import { type List, useList } from '../../api/use-list.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';
import { toast } from '../../ui/index.js';

export type Schedule = Schemas['Schedule'];
export type ScheduleChange = Schemas['ScheduleChange'];
/** In the generated type, members with a default are required. */
export type NewSchedule = Omit<Schemas['NewSchedule'], 'enabled' | 'timezone'> & { timezone?: string };

const POLL_EVERY_MS = 5_000;

/** The schedules of the organization, newest first. Refetched while the page is visible. */
export function useSchedules(): List<Schedule> {
  return { ...useList('/schedules', undefined, POLL_EVERY_MS), refetching: false };
}

export function useCreateSchedule(): (body: NewSchedule) => Promise<Schedule> {
  const api = useApi();
  const refresh = useRefresh();
  return async (body) => {
    const created = await take(api.POST('/schedules', { body: body as Schemas['NewSchedule'] }));
    await refresh();
    return created;
  };
}

export function useChangeSchedule(): (id: string, body: ScheduleChange) => Promise<void> {
  const api = useApi();
  const refresh = useRefresh();
  return async (id, body) => {
    await take(api.PATCH('/schedules/{id}', { params: { path: { id } }, body }));
    await refresh();
  };
}

/** Pauses or resumes a schedule. If it fails, a toast says why. */
export function usePauseSchedule() {
  const change = useChangeSchedule();
  return useMutation({
    mutationFn: ({ id, enabled }: Pick<Schedule, 'id' | 'enabled'>) => change(id, { enabled: !enabled }),
    onError: ({ message }) => toast.error(message),
  });
}

type Named = Pick<Schedule, 'id' | 'name'>;

/** Runs the job of a schedule now, in addition to the planned times. */
export function useRunSchedule() {
  const api = useApi();
  const refresh = useRefresh();
  const keys = useIdempotencyKey('run-schedule');
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ id }: Named) => {
      const header = { 'Idempotency-Key': keys.of({ id }) };
      return take(api.POST('/schedules/{id}/run', { params: { path: { id }, header } }));
    },
    onSuccess: ({ id }, { name }) => {
      keys.forget();
      toast.success(`A job of ${name} is submitted`, {
        action: { label: 'Open', onAction: () => void navigate({ to: '/job/$id', params: { id } }) },
      });
      void refresh();
    },
    onError: ({ message }, { name }) => toast.error(`${name} did not run`, { detail: message }),
  });
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['/schedules'] });
}
