import type { OrgId, TemplateKind } from '@jobline/contracts';
import type { Liquid, TemplateFormat } from '@jobline/handlers/ports';

/** What is filled, stored or not. */
export interface TemplateSource {
  kind: TemplateKind;
  subject?: string | null | undefined;
  body: string;
}

/** As it would be sent or printed. */
export interface FilledTemplate {
  /** Null where the template has none. */
  subject: string | null;
  body: string;
  /** The variables that the data does not have, each once. */
  missing: string[];
}

/** Of every text that Liquid refuses, the part of the template that it is. */
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

/** An email's body and a document are HTML; a subject and an SMS are plain text, in which nothing is escaped. */
export async function fillTemplate(
  liquid: Liquid,
  orgId: OrgId,
  { kind, subject, body }: TemplateSource,
  data: Data,
  signal?: AbortSignal,
): Promise<FilledTemplate> {
  const head =
    typeof subject === 'string' ? await blame('subject', liquid.fill(orgId, subject, data, 'text', signal)) : null;
  const main = await blame('body', liquid.fill(orgId, body, data, BODY_FORMATS[kind], signal));
  return {
    subject: head && inOneLine(head.text),
    body: main.text,
    missing: [...new Set([...(head?.missing ?? []), ...main.missing])],
  };
}

/** What a template takes from its data, in the order of first use. */
export async function templateVariables(
  liquid: Liquid,
  orgId: OrgId,
  { subject, body }: TemplateSource,
  signal?: AbortSignal,
): Promise<string[]> {
  const head = typeof subject === 'string' ? await blame('subject', liquid.variables(orgId, subject, signal)) : [];
  return [...new Set([...head, ...(await blame('body', liquid.variables(orgId, body, signal)))])];
}

/** Line breaks in a subject would begin another header. */
function inOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

async function blame<T>(part: 'subject' | 'body', work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isRefusal(error) ? new TemplateError(part, error) : error;
  }
}

function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'invalid_payload';
}
