import { useQueryClient } from '@tanstack/react-query';
import { type Schemas, take } from '../../api/api-client.js';
import { useApi } from '../../services.js';
import { type EmailDraft, messageOf } from './draft.js';

export type Sent = { kind: 'sent'; email: Schemas['SentEmail'] } | { kind: 'queued'; jobId: string };

type JobPayload = Schemas['Submission']['payload'];

/** Sends a draft as it says: at once, or by a job. Its key makes any repetition the same request. */
export function useSend(): (draft: EmailDraft) => Promise<Sent> {
  const api = useApi();
  const queries = useQueryClient();
  return async (draft) => {
    const params = { header: { 'Idempotency-Key': draft.key } };
    const message = messageOf(draft);
    try {
      if (draft.delivery === 'now') {
        return { kind: 'sent', email: await take(api.POST('/email/send', { params, body: message })) };
      }
      const body = {
        type: 'send_email',
        payload: message as object as JobPayload, // the document says no more of it than that it is an object
        max_retries: Number(draft.max_retries),
        priority: 0,
        ...(draft.run_at !== null && { run_at: draft.run_at }),
      };
      return { kind: 'queued', jobId: (await take(api.POST('/jobs', { params, body }))).id };
    } finally {
      // A refused one is in the history too.
      void queries.invalidateQueries({ queryKey: ['emails'] });
    }
  };
}
