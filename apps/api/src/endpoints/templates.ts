import {
  AppError,
  type ErrorDetail,
  type JsonObject,
  type OrgId,
  TEMPLATE_KINDS,
  TEMPLATE_LIMITS,
  type TemplateKind,
} from '@jobline/contracts';
import {
  addWithinQuota,
  createTemplate as createTemplateRow,
  findTemplate,
  listTemplates as listTemplatesRows,
  recordAudit,
  replaceTemplate as replaceTemplateRow,
  type TemplateContent,
  type TemplateRow,
  type TemplateSummaryRow,
} from '@jobline/db';
import { payloadShapeIssues } from '@jobline/engine';
import { builtInTemplates } from '@jobline/handlers';
import { TemplateError, templateVariables } from '@jobline/messaging';
import Joi, { type StringSchema } from 'joi';
import type { Deps } from '../deps.js';
import { defineEndpoint } from '../endpoint.js';
import { invalidRequest, notFound, orNameTaken, quotaReached } from '../http/errors.js';
import { name, oneOf, uuid } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { mapTo, timestamp, type ViewOf, view } from '../http/view.js';
import { defineListEndpoint, defineReadEndpoint, defineRemovalEndpoint } from './row-endpoints.js';

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

const templateSummaryView = view<ViewOf<TemplateSummaryRow>>('TemplateSummary', summary);

const templateView = view<ViewOf<TemplateRow>>('Template', {
  ...summary,
  body: Joi.string().description('The Liquid source.'),
  sample: Joi.object().description('Example data for previews and test sends. Jobs do not use it.'),
});

const toTemplateView = mapTo(templateView);

export interface TemplateBody {
  name: string;
  kind: TemplateKind;
  subject?: string;
  body: string;
  sample?: JsonObject;
}

/** What is rendered of a template. */
export const sourceFields = {
  kind: oneOf(TEMPLATE_KINDS).required(),
  subject: subject(),
  body: Joi.string()
    .max(TEMPLATE_LIMITS.bodyLength)
    .custom((text: string, { message }) =>
      text.isWellFormed() && !text.includes('\u0000')
        ? text
        : message({ custom: '{{#label}} must be well-formed Unicode without U+0000' }),
    )
    .required(),
};

const templateBody = Joi.object<TemplateBody, true>({
  name: templateName().required(),
  ...sourceFields,
  sample: Joi.object().description(
    `At most ${TEMPLATE_LIMITS.sampleBytes} bytes as JSON. Without it, a replaced template keeps its own.`,
  ),
});

/** Creates a template that jobs can use by its name. */
export const createTemplate = defineEndpoint({
  method: 'post',
  path: '/org/templates',
  summary: 'Create a template',
  right: 'templates',
  needs: ['db', 'liquid'],
  limits: { caller: 'manage', stores: true },
  body: templateBody,
  responses: { 201: json('The template.', templateView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body, getSignal }) {
    const content = await readTemplate(deps, principal.orgId, body, getSignal());
    const row = await addWithinQuota(deps.db, principal.orgId, 'templates', async (tx) => {
      const target = await createTemplateRow(tx, principal.orgId, content);
      const details = { kind: target.kind };
      await recordAudit(tx, principal.orgId, { ...origin, action: 'template.created', target, details });
      return target;
    }).catch(orNameTaken('name', body.name));
    if (row === 'full') throw quotaReached('templates');
    return { status: 201, body: toTemplateView(row) };
  },
});

/** The organization's templates without their bodies, newest first. */
export const listTemplates = defineListEndpoint({
  path: '/org/templates',
  summary: 'List templates',
  right: 'read_templates',
  description: 'A page of templates',
  view: templateSummaryView,
  rows: listTemplatesRows,
  toView: mapTo(templateSummaryView),
});

/** A template of the organization, with its text. */
export const getTemplate = defineReadEndpoint({
  path: '/org/templates/:id',
  summary: 'Read a template',
  right: 'read_templates',
  description: 'The template.',
  view: templateView,
  find: findTemplate,
  toView: toTemplateView,
});

/** Replaces a template. Waiting jobs use the template as it is when they run. */
export const replaceTemplate = defineEndpoint({
  method: 'put',
  path: '/org/templates/:id',
  summary: 'Replace a template',
  right: 'templates',
  needs: ['db', 'liquid'],
  limits: { caller: 'manage', stores: true },
  body: templateBody,
  responses: { 200: json('The template.', templateView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, params, body, getSignal }) {
    const content = await readTemplate(deps, principal.orgId, body, getSignal());
    const row = await deps.db
      .$transaction(async (tx) => {
        const target = await replaceTemplateRow(tx, principal.orgId, params.id, content);
        if (!target) throw notFound();
        const details = { kind: target.kind };
        await recordAudit(tx, principal.orgId, { ...origin, action: 'template.replaced', target, details });
        return target;
      })
      .catch(orNameTaken('name', body.name));
    return { status: 200, body: toTemplateView(row) };
  },
});

/** Removes a template. Jobs that use it fail from now on. */
export const deleteTemplate = defineRemovalEndpoint({
  path: '/org/templates/:id',
  summary: 'Remove a template',
  right: 'templates',
  description: 'The template is removed.',
  action: 'template.removed',
  table: 'templates',
});

/** The content to store. Throws a 400 for a text that Liquid cannot parse, or that has too many variables. */
async function readTemplate(
  deps: Deps<'liquid'>,
  orgId: OrgId,
  body: TemplateBody,
  signal: AbortSignal,
): Promise<TemplateContent> {
  const { name, kind, subject = null, sample = null } = body;
  const details = sample ? sampleIssues(sample) : [];
  if (details.length > 0) throw invalidRequest(details);
  const variables = await orBadRequest(templateVariables(deps.liquid, orgId, body, signal));
  if (variables.join('').length > TEMPLATE_LIMITS.variablesLength) {
    const message = `the names of the variables may have at most ${TEMPLATE_LIMITS.variablesLength} characters together`;
    throw invalidRequest([{ path: 'body', message }]);
  }
  return { name, kind, subject, body: body.body, variables, sample };
}

function sampleIssues(sample: JsonObject): ErrorDetail[] {
  const issues = payloadShapeIssues('sample', sample);
  if (issues.length > 0 || Buffer.byteLength(JSON.stringify(sample)) <= TEMPLATE_LIMITS.sampleBytes) return issues;
  return [{ path: 'sample', message: `"sample" must have at most ${TEMPLATE_LIMITS.sampleBytes} bytes as JSON` }];
}

export async function orBadRequest<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { part: path, message } = error;
    throw new AppError('validation_failed', message, { details: [{ path, message }], cause: error });
  }
}

/** A PDF job accepts a name or a document, and a document is recognized by its `<`. Names of built-in templates are reserved. */
function templateName(): StringSchema {
  return name().custom((text: string, { state, message }) => {
    if (text.includes('<')) return message({ custom: '{{#label}} must not contain <' });
    const isBuiltIn = kindOf(state) === 'pdf' && builtInTemplates.has(text);
    return isBuiltIn ? message({ custom: '{{#label}} is the name of a built-in template' }) : text;
  });
}

/** One line. Only emails have a subject. */
function subject(): StringSchema {
  return Joi.string()
    .max(TEMPLATE_LIMITS.subjectLength)
    .pattern(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u)
    .messages({ 'string.pattern.base': '{{#label}} must be one line without control characters' })
    .custom((text: string, { state, message }) =>
      kindOf(state) === 'email' ? text : message({ custom: '{{#label}} is allowed for emails only' }),
    );
}

/** The `kind` in the same body. */
function kindOf({ ancestors }: Joi.State): unknown {
  const [body]: { kind?: unknown }[] = ancestors;
  return body?.kind;
}
