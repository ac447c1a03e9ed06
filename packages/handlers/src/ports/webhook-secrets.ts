import type { OrgId } from '@jobline/contracts';

/** The secrets that sign an organization's webhooks. */
export interface WebhookSecrets {
  /** `whsec_…`, the current one first, then those that still sign after a rotation. Never empty. */
  active(orgId: OrgId): Promise<string[]>;
}
