import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { type Schemas, take } from '../../api/api-client.js';
import { submitJob } from '../../api/submit-job.js';
import { useIdempotencyKey } from '../../idempotency.js';
import { useApi } from '../../services.js';
import { type Compose, toJob, toOutgoing } from './compose-form.js';

/** What became of it. */
export type Sent = { text: Schemas['SentSms']; jobId?: never } | { jobId: string; text?: never };

export interface Sending {
  /** Repeating what failed is carried out once; what succeeded may be sent again, and then is another text. */
  send(values: Compose): Promise<Sent>;
  /** The next one is another text, whatever became of the last one. */
  startAnew(): void;
}

export function useSend(): Sending {
  const api = useApi();
  const queries = useQueryClient();
  const keyFor = useIdempotencyKey();
  const round = useRef(0);

  async function call(values: Compose): Promise<Sent> {
    const key = keyFor({ round: round.current, ...values });
    if (values.how === 'now') {
      const params = { header: { 'Idempotency-Key': key } };
      return { text: await take(api.POST('/sms/send', { params, body: toOutgoing(values) })) };
    }
    return { jobId: (await submitJob(api, key, toJob(values))).id };
  }

  return {
    async send(values) {
      try {
        const sent = await call(values);
        round.current += 1;
        return sent;
      } finally {
        // One that the provider refused is in the history, too.
        await queries.invalidateQueries({ queryKey: ['texts'] });
      }
    },
    startAnew: () => {
      round.current += 1;
    },
  };
}
