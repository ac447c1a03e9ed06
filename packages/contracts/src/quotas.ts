/** How many of these an organization may have. */
export const QUOTAS = {
  api_keys: 1_000,
  bulk_actions: 20,
  domains: 1_000,
  limits: 100,
  schedules: 1_000,
  sender_ids: 1_000,
  templates: 1_000,
  webhooks: 20,
} as const;

export type Quota = keyof typeof QUOTAS;
