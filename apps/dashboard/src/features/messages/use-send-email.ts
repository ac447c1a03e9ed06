import type { Schemas } from '@jobline/client';
import { useQueryClient } from '@tanstack/react-query';
import { submitJob } from '../../api/submit-job.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';
import { type EmailDraft, messageOf } from './email-draft.js';

export type Sent = { kind: 'sent'; email: Schemas['SentEmail'] } | { kind: 'queued'; jobId: string };

interface Sending {
  /** Sends the email now or by a job, as the draft says. Repeating it with the same draft is the same request. */
  send(draft: EmailDraft): Promise<Sent>;
  /** Makes the next `send` a new request, even with the same draft. */
  startNew(): void;
}

export function useSend(): Sending {
  const api = useApi();
  const queries = useQueryClient();
  const keys = useIdempotencyKey('email');
  return {
    async send(draft) {
      const message = messageOf(draft);
      try {
        if (draft.delivery === 'now') {
          return { kind: 'sent', email: await api.email.send(message, { idempotencyKey: keys.of(message) }) };
        }
        const job = {
          type: 'send_email',
          payload: message,
          max_retries: Number(draft.max_retries),
          ...(draft.run_at !== null && { run_at: draft.run_at }),
        };
        return { kind: 'queued', jobId: (await submitJob(api, keys.of(job), job)).id };
      } finally {
        // The list also contains emails that the provider rejected.
        void queries.invalidateQueries({ queryKey: ['listEmails'] });
      }
    },
    startNew: keys.forget,
  };
}
