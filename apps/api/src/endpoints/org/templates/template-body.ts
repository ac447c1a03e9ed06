import { AppError, type OrgId, TEMPLATE_KINDS, type TemplateKind } from '@jobline/contracts';
import type { TemplateContent } from '@jobline/db';
import { builtInTemplates } from '@jobline/handlers';
import {
  type FilledTemplate,
  fillTemplate,
  TemplateFault,
  type TemplateSource,
  templateVariables,
} from '@jobline/messaging';
import Joi, { type StringSchema } from 'joi';
import type { EndpointDeps } from '../../../deps.js';
import { name } from '../../../http/fields.js';
import { payloadShapeFaults } from '../../jobs/payload-shape.js';

/** What the endpoints of templates take. */

export interface TemplateBody {
  name: string;
  kind: TemplateKind;
  subject?: string;
  body: string;
}

const MAX_SUBJECT_LENGTH = 998;
const MAX_BODY_LENGTH = 512 * 1024;

/** A template's text, without its name. */
export const sourceFields = {
  kind: Joi.string<TemplateKind>()
    .valid(...TEMPLATE_KINDS)
    .required(),
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

/** What is stored of it. Throws a 400 for a text that Liquid cannot read. */
export async function readTemplate(
  deps: EndpointDeps,
  orgId: OrgId,
  body: TemplateBody,
  signal: AbortSignal,
): Promise<TemplateContent> {
  const { name, kind, subject = null } = body;
  const variables = await orBadRequest(templateVariables(deps.liquid, orgId, body, signal));
  return { name, kind, subject, body: body.body, variables };
}

/** Filled as it would be sent. Throws a 400 for a text that cannot be. */
export async function preview(
  deps: EndpointDeps,
  orgId: OrgId,
  source: TemplateSource,
  data: Parameters<typeof fillTemplate>[3],
  signal: AbortSignal,
): Promise<FilledTemplate> {
  const details = payloadShapeFaults('data', data);
  if (details.length > 0) throw new AppError('validation_failed', 'The data cannot be kept; see details.', { details });
  return orBadRequest(fillTemplate(deps.liquid, orgId, source, data, signal));
}

async function orBadRequest<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    const { part: path, message } = error;
    throw new AppError('validation_failed', message, { details: [{ path, message }], cause: error });
  }
}

/** A document is told from its name by the `<` in it, and the built-in ones have theirs. */
function templateName(): StringSchema {
  return name().custom((text: string, { state, message }) => {
    if (text.includes('<')) return message({ custom: '{{#label}} must not contain <' });
    const isBuiltIn = kindBeside(state) === 'pdf' && builtInTemplates.has(text);
    return isBuiltIn ? message({ custom: '{{#label}} is the name of a built-in template' }) : text;
  });
}

/** One line; an email's only. */
function subject(): StringSchema {
  return Joi.string()
    .max(MAX_SUBJECT_LENGTH)
    .pattern(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u)
    .messages({ 'string.pattern.base': '{{#label}} must be one line without control characters' })
    .custom((text: string, { state, message }) =>
      kindBeside(state) === 'email' ? text : message({ custom: '{{#label}} is for emails only' }),
    );
}

/** The kind that the same body has. */
function kindBeside({ ancestors }: Joi.State): unknown {
  const [body]: { kind?: unknown }[] = ancestors;
  return body?.kind;
}
