import { useQueryClient } from '@tanstack/react-query';
import { type Schemas, take } from '../../api/api-client.js';
import { submitJob } from '../../api/submit-job.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';
import { type Compose, toJob, toOutgoing } from './compose-form.js';

/** What became of it. */
export type Sent = { text: Schemas['SentSms']; jobId?: never } | { jobId: string; text?: never };

export interface Sending {
  /** Repeating it is the same request. */
  send(values: Compose): Promise<Sent>;
  /** The next one is another text, whatever became of the last one. */
  startAnew(): void;
}

/** `onListed`: the history has what was sent last. */
export function useSend(onListed: () => void): Sending {
  const api = useApi();
  const queries = useQueryClient();
  const keys = useIdempotencyKey('sms');
  return {
    async send(values) {
      try {
        if (values.how === 'now') {
          const body = toOutgoing(values);
          const params = { header: { 'Idempotency-Key': keys.of(body) } };
          return { text: await take(api.POST('/sms/send', { params, body })) };
        }
        const job = toJob(values);
        return { jobId: (await submitJob(api, keys.of(job), job)).id };
      } finally {
        // One that the provider refused is in the history, too.
        void queries.invalidateQueries({ queryKey: ['texts'] }).then(onListed);
      }
    },
    startAnew: keys.forget,
  };
}
