import type { Schemas } from '@jobline/client';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useChange, useRefetch } from '../../api/use-change.js';
import { type List, useList } from '../../api/use-list.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';
import { toast } from '../../ui/index.js';

export type Schedule = Schemas['Schedule'];
export type NewSchedule = Schemas['NewSchedule'];

const LIST = 'listSchedules';
const POLL_EVERY_MS = 5_000;

/** The schedules whose name contains a text, newest first. Refetched while the page is visible. */
export function useSchedules(name: string): List<Schedule> {
  return { ...useList(LIST, name === '' ? undefined : { name }, POLL_EVERY_MS), refetching: false };
}

export function useCreateSchedule() {
  return useChange((api, body: NewSchedule) => api.schedules.create(body), LIST);
}

export function useChangeSchedule() {
  return useChange((api, id: string, body: Schemas['ScheduleChange']) => api.schedules.update(id, body), LIST);
}

/** Runs the job of a schedule now, in addition to the planned times. */
export function useRunSchedule() {
  const api = useApi();
  const refresh = useRefetch(LIST);
  const keys = useIdempotencyKey('run-schedule');
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ id }: Schedule) => api.schedules.run(id, { idempotencyKey: keys.of({ id }) }),
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
