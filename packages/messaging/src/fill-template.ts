import type { OrgId, TemplateKind } from '@jobline/contracts';
import type { Liquid, TemplateFormat } from '@jobline/handlers/ports';

/** A template to fill, stored or not. */
export interface TemplateSource {
  kind: TemplateKind;
  subject?: string | null | undefined;
  body: string;
}

/** A filled template, as it would be sent or printed. */
export interface FilledTemplate {
  /** Null if the template has no subject. */
  subject: string | null;
  body: string;
  /** The variables that the data lacks, each once. */
  missing: string[];
}

/** An error of Liquid, with the part of the template that caused it. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(
    readonly part: 'subject' | 'body',
    cause: Error,
  ) {
    super(cause.message, { cause });
  }
}

type Data = Parameters<Liquid['fill']>[2];

const BODY_FORMATS: Record<TemplateKind, TemplateFormat> = { email: 'html', pdf: 'document', sms: 'text' };

/**
 * Fills a template. The body of an email or a document is HTML. A subject and an SMS are plain text, in which nothing
 * is escaped.
 */
export async function fillTemplate(
  liquid: Liquid,
  orgId: OrgId,
  { kind, subject, body }: TemplateSource,
  data: Data,
  signal?: AbortSignal,
): Promise<FilledTemplate> {
  const head =
    typeof subject === 'string'
      ? await labelErrors('subject', liquid.fill(orgId, subject, data, 'text', signal))
      : null;
  const main = await labelErrors('body', liquid.fill(orgId, body, data, BODY_FORMATS[kind], signal));
  return {
    subject: head && inOneLine(head.text),
    body: main.text,
    missing: [...new Set([...(head?.missing ?? []), ...main.missing])],
  };
}

/** The variables of a template, in the order of their first use. */
export async function templateVariables(
  liquid: Liquid,
  orgId: OrgId,
  { subject, body }: TemplateSource,
  signal?: AbortSignal,
): Promise<string[]> {
  const head =
    typeof subject === 'string' ? await labelErrors('subject', liquid.variables(orgId, subject, signal)) : [];
  return [...new Set([...head, ...(await labelErrors('body', liquid.variables(orgId, body, signal)))])];
}

/** Puts a subject on one line, because a line break would start another header. */
function inOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

async function labelErrors<T>(part: 'subject' | 'body', work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isInvalidTemplate(error) ? new TemplateError(part, error) : error;
  }
}

function isInvalidTemplate(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'invalid_payload';
}
