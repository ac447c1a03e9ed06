import { useQueryClient } from '@tanstack/react-query';
import { type Schemas, take } from '../../api/api-client.js';
import { submitJob } from '../../api/submit-job.js';
import { useApi } from '../../services.js';
import { type EmailDraft, messageOf } from './draft.js';

export type Sent = { kind: 'sent'; email: Schemas['SentEmail'] } | { kind: 'queued'; jobId: string };

/** Sends a draft as it says: at once, or by a job. Its key makes any repetition the same request. */
export function useSend(): (draft: EmailDraft) => Promise<Sent> {
  const api = useApi();
  const queries = useQueryClient();
  return async (draft) => {
    const message = messageOf(draft);
    try {
      if (draft.delivery === 'now') {
        const params = { header: { 'Idempotency-Key': draft.key } };
        return { kind: 'sent', email: await take(api.POST('/email/send', { params, body: message })) };
      }
      const { id } = await submitJob(api, draft.key, {
        type: 'send_email',
        payload: message,
        max_retries: Number(draft.max_retries),
        ...(draft.run_at !== null && { run_at: draft.run_at }),
      });
      return { kind: 'queued', jobId: id };
    } finally {
      // A refused one is in the history too.
      void queries.invalidateQueries({ queryKey: ['emails'] });
    }
  };
}
