import type { JsonObject, OrgId } from '@jobline/contracts';

/**
 * What a filled template is read as. In `html` and `document`, what comes from the data is escaped; a `document` may be
 * 2 MiB long, the others 1 MiB.
 */
export type TemplateFormat = 'html' | 'text' | 'document';

export interface Filled {
  text: string;
  /** The variables that the data did not have; each is empty in the text. What a template only asks for is not missed. */
  missing: readonly string[];
}

/**
 * Fills texts with variables in Liquid, written by tenants: they can read `data` and nothing else, and their time, memory
 * and output are limited. Throws PermanentError, with the place, for a faulty, endless or too large one; RetryLater when
 * too many texts wait; the signal's reason when that fired. Organizations take turns: one that has many texts to fill
 * delays no other.
 */
export interface Liquid {
  fill(orgId: OrgId, source: string, data: JsonObject, format: TemplateFormat, signal?: AbortSignal): Promise<Filled>;
  /** The variables that a text has, in the order of their first use. */
  variables(orgId: OrgId, source: string, signal?: AbortSignal): Promise<string[]>;
}

/** Liquid, and the texts that organizations have stored. */
export interface Templates extends Liquid {
  /** The source of an organization's own template for documents, or null. */
  find(orgId: OrgId, name: string): Promise<string | null>;
}
