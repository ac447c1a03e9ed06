import type { JsonObject, OrgId } from '@jobline/contracts';

/** Texts with variables in Liquid, written by tenants: they can read `data` and nothing else. */
export interface Templates {
  /** The source of an organization's own template for documents, or null. */
  find(orgId: OrgId, name: string): Promise<string | null>;
  /** As HTML: what comes from `data` is escaped. Throws PermanentError, with the place, for a faulty or endless template. */
  render(source: string, data: JsonObject): string;
}
