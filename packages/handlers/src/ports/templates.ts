import type { JsonObject, OrgId } from '@jobline/contracts';

/**
 * The format of a filled template. In `html` and `document`, data is escaped. The limit of a `document` is 2 MiB, that
 * of the others 1 MiB.
 */
export type TemplateFormat = 'html' | 'text' | 'document';

export interface Filled {
  text: string;
  /** The variables that the data lacks; they are empty in the text. Variables that are only tested are not included. */
  missing: readonly string[];
}

/**
 * Fills Liquid templates of tenants. They can read only `data`, and their time, memory and output are limited. Throws
 * PermanentError, with the position, for a template that is invalid, endless or too large; RetryLater if too many texts
 * wait; or the reason of the signal if the signal is aborted. Organizations take turns, so an organization with many
 * texts does not delay others.
 */
export interface Liquid {
  fill(orgId: OrgId, source: string, data: JsonObject, format: TemplateFormat, signal?: AbortSignal): Promise<Filled>;
  /** The variables of a text, in the order of their first use. */
  variables(orgId: OrgId, source: string, signal?: AbortSignal): Promise<string[]>;
}

/** Liquid and the stored templates of organizations. */
export interface Templates extends Liquid {
  /** The source of a stored document template of an organization, or null. */
  find(orgId: OrgId, name: string): Promise<string | null>;
}
