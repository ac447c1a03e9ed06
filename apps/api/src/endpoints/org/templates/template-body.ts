import { AppError, type OrgId, TEMPLATE_KINDS, type TemplateKind } from '@jobline/contracts';
import type { TemplateContent } from '@jobline/db';
import { builtInTemplates } from '@jobline/handlers';
import {
  type FilledTemplate,
  fillTemplate,
  TemplateError,
  type TemplateSource,
  templateVariables,
} from '@jobline/messaging';
import Joi, { type StringSchema } from 'joi';
import type { Deps } from '../../../deps.js';
import { invalidRequest } from '../../../http/errors.js';
import { name, oneOf } from '../../../http/fields.js';
import { payloadShapeIssues } from '../../jobs/payload-shape.js';

/** Request bodies of the template endpoints. */

export interface TemplateBody {
  name: string;
  kind: TemplateKind;
  subject?: string;
  body: string;
}

const MAX_SUBJECT_LENGTH = 998;
const MAX_BODY_LENGTH = 512 * 1024;
/** Lists of templates have all variables. */
const MAX_VARIABLES_LENGTH = 16 * 1024;

/** The fields of a template without its name. */
export const sourceFields = {
  kind: oneOf(TEMPLATE_KINDS).required(),
  subject: subject(),
  body: Joi.string()
    .max(MAX_BODY_LENGTH)
    .custom((text: string, { message }) =>
      text.isWellFormed() && !text.includes('\u0000')
        ? text
        : message({ custom: '{{#label}} must be well-formed Unicode without U+0000' }),
    )
    .required(),
};

export const templateBody = Joi.object<TemplateBody, true>({ name: templateName().required(), ...sourceFields });

/** The content to store. Throws a 400 for a text that Liquid cannot parse, or that has too many variables. */
export async function readTemplate(
  deps: Deps<'liquid'>,
  orgId: OrgId,
  body: TemplateBody,
  signal: AbortSignal,
): Promise<TemplateContent> {
  const { name, kind, subject = null } = body;
  const variables = await orBadRequest(templateVariables(deps.liquid, orgId, body, signal));
  if (variables.join('').length > MAX_VARIABLES_LENGTH) {
    const message = `the names of the variables may have at most ${MAX_VARIABLES_LENGTH} characters together`;
    throw invalidRequest([{ path: 'body', message }]);
  }
  return { name, kind, subject, body: body.body, variables };
}

/** Renders a template as a message would have it. Throws a 400 for a template that cannot be rendered. */
export async function preview(
  deps: Deps<'liquid'>,
  orgId: OrgId,
  source: TemplateSource,
  data: Parameters<typeof fillTemplate>[3],
  signal: AbortSignal,
): Promise<FilledTemplate> {
  const details = payloadShapeIssues('data', data);
  if (details.length > 0) throw invalidRequest(details, 'The data cannot be stored; see details.');
  return orBadRequest(fillTemplate(deps.liquid, orgId, source, data, signal));
}

async function orBadRequest<T>(work: Promise<T>): Promise<T> {
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
    .max(MAX_SUBJECT_LENGTH)
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
