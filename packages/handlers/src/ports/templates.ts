import type { JsonObject, OrgId } from '@jobline/contracts';

/** What a filled template is read as: in `html`, what comes from the data is escaped. */
export type TemplateFormat = 'html' | 'text';

export interface Filled {
  text: string;
  /** The variables that the data did not have; each is empty in the text. What a template only asks for is not missed. */
  missing: readonly string[];
}

/**
 * Fills texts with variables in Liquid, written by tenants: they can read `data` and nothing else, and an end comes to
 * all of them. Throws PermanentError, with the place, for a faulty or endless one. Organizations take turns: whoever has
 * many to fill delays nobody else.
 */
export interface Liquid {
  fill(orgId: OrgId, source: string, data: JsonObject, format: TemplateFormat): Promise<Filled>;
  /** The variables that a text has, in the order of their first use. */
  variables(orgId: OrgId, source: string): Promise<string[]>;
}

/** Liquid, and the texts that organizations have stored. */
export interface Templates extends Liquid {
  /** The source of an organization's own template for documents, or null. */
  find(orgId: OrgId, name: string): Promise<string | null>;
}
