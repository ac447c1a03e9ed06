import type { Schemas } from '@jobline/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type List, useList } from '../../api/use-list.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';
import { toast } from '../../ui/index.js';

export type Schedule = Schemas['Schedule'];
type ScheduleChange = Schemas['ScheduleChange'];
export type NewSchedule = Schemas['NewSchedule'];

const POLL_EVERY_MS = 5_000;

/** The schedules of the organization, newest first. Refetched while the page is visible. */
export function useSchedules(): List<Schedule> {
  return { ...useList('listSchedules', undefined, POLL_EVERY_MS), refetching: false };
}

export function useCreateSchedule(): (body: NewSchedule) => Promise<Schedule> {
  const api = useApi();
  const refresh = useRefresh();
  return async (body) => {
    const created = await api.schedules.create(body);
    await refresh();
    return created;
  };
}

export function useChangeSchedule(): (id: string, body: ScheduleChange) => Promise<void> {
  const api = useApi();
  const refresh = useRefresh();
  return async (id, body) => {
    await api.schedules.update(id, body);
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
    mutationFn: ({ id }: Named) => api.schedules.run(id, { idempotencyKey: keys.of({ id }) }),
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
  return () => queries.invalidateQueries({ queryKey: ['listSchedules'] });
}
