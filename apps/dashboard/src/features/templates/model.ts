import type { Schemas } from '@jobline/client';
import { TEMPLATE_KINDS, type TemplateKind } from '@jobline/contracts';
import type { TemplateSource } from '../../api/use-filled-template.js';
import { jsonOf } from '../../product/message/template-fields.js';

export type Template = Schemas['Template'];
export type TemplateSummary = Schemas['TemplateSummary'];

/** The values of the editor's fields. */
export interface Values extends Record<string, string> {
  name: string;
  kind: string;
  subject: string;
  body: string;
  /** Example data, as JSON. */
  sample: string;
}

export const KINDS: Record<TemplateKind, string> = { email: 'Email', sms: 'SMS', pdf: 'PDF' };

export function kindOf({ kind }: { kind: string }): TemplateKind {
  return TEMPLATE_KINDS.find((one) => one === kind) ?? 'email';
}

export function valuesOf({ name, kind, subject, body, sample }: Template): Values {
  return { name, kind, subject: subject ?? '', body, sample: jsonOf(sample) };
}

/** Returns the template in the format of the API. Only emails have a subject. */
export function sourceOf(values: Values): TemplateSource {
  const kind = kindOf(values);
  return { kind, body: values.body, ...(kind === 'email' && values.subject !== '' && { subject: values.subject }) };
}
