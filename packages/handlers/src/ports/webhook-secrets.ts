import type { OrgId } from '@jobline/contracts';

/** The secrets that sign an organization's webhooks. */
export interface WebhookSecrets {
  /**
   * The secrets in the form `whsec_…`: the current one first, then those that are still valid after a rotation. Never
   * empty.
   */
  active(orgId: OrgId): Promise<string[]>;
}
