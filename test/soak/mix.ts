import type { FakeProviders } from '../containers/fake-providers.js';
import { payloadsFor } from '../containers/payloads.js';

/** How many jobs of each type a batch has: all built-in types, and a custom one that does nothing. */
const MIX = {
  noop: 114,
  webhook: 40,
  send_email: 8,
  send_sms: 8,
  send_chat_message: 8,
  team_chat_notify: 8,
  ai_summarize: 8,
  mobile_money_stk: 4,
  generate_pdf: 1,
  compress_image: 1,
} as const;
export const BATCH_SIZE = Object.values(MIX).reduce((sum, count) => sum + count, 0);

/** A worker that dies interrupts a job, which then runs again. No job may fail because of that. */
const MAX_RETRIES = 20;

/** The body of `POST /jobs/batch`. */
export function batchFor(providers: FakeProviders): { jobs: object[] } {
  const payloads: Record<string, object> = { noop: {}, ...payloadsFor(providers) };
  const jobs = Object.entries(MIX).flatMap(([type, count]) =>
    Array.from({ length: count }, () => ({ type, payload: payloads[type], max_retries: MAX_RETRIES })),
  );
  return { jobs };
}
