import type { Schemas } from '@jobline/client';
import { useQueryClient } from '@tanstack/react-query';
import { submitJob } from '../../api/submit-job.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';
import { type Compose, toJob, toOutgoing } from './sms-draft.js';

/** The accepted SMS, or the job that will send it. */
export type Sent = { text: Schemas['SentSms']; jobId?: never } | { jobId: string; text?: never };

interface Sending {
  /** Sends the SMS now or by a job. Repeating it with the same values is the same request. */
  send(values: Compose): Promise<Sent>;
  /** Makes the next `send` a new request, even with the same values. */
  startNew(): void;
}

/** `onListed` is called when the history contains the SMS that was sent last. */
export function useSend(onListed: () => void): Sending {
  const api = useApi();
  const queries = useQueryClient();
  const keys = useIdempotencyKey('sms');
  return {
    async send(values) {
      try {
        if (values.how === 'now') {
          const body = toOutgoing(values);
          return { text: await api.sms.send(body, { idempotencyKey: keys.of(body) }) };
        }
        const job = toJob(values);
        return { jobId: (await submitJob(api, keys.of(job), job)).id };
      } finally {
        // The history also contains SMS that the provider rejected.
        void queries.invalidateQueries({ queryKey: ['listSms'] }).then(onListed);
      }
    },
    startNew: keys.forget,
  };
}
