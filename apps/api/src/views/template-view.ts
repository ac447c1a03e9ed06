import { TEMPLATE_KINDS } from '@jobline/contracts';
import type { TemplateRow, TemplateSummaryRow } from '@jobline/db';
import type { FilledTemplate } from '@jobline/messaging';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { text, timestamp, view } from './view.js';

const summary = {
  id: uuid(),
  name: Joi.string(),
  kind: Joi.valid(...TEMPLATE_KINDS),
  subject: Joi.string().allow(null).description('Null unless the template is for emails.'),
  variables: Joi.array()
    .items(Joi.string())
    .description('The variables that the template uses, in the order of first use.'),
  created_at: timestamp(),
  updated_at: timestamp(),
};

export const templateSummaryView = view<ReturnType<typeof toTemplateSummaryView>>('TemplateSummary', summary);

export const templateView = view<ReturnType<typeof toTemplateView>>('Template', {
  ...summary,
  body: Joi.string().description('The Liquid source.'),
});

export const previewView = view<ReturnType<typeof toPreviewView>>(
  'Preview',
  {
    subject: text(),
    body: text(),
    missing: Joi.array().items(text()).description('The variables that the data lacks. Each is rendered empty.'),
  },
  { optional: ['subject'] },
);

export function toTemplateSummaryView(row: TemplateSummaryRow) {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    subject: row.subject,
    variables: row.variables,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

export function toTemplateView(row: TemplateRow) {
  return { ...toTemplateSummaryView(row), body: row.body };
}

export function toPreviewView({ subject, body, missing }: FilledTemplate) {
  return { ...(subject !== null && { subject }), body, missing };
}
