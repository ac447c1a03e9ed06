import { type ParsedSubmission, parseSubmission, type SubmissionRules, submissionSchemas } from '@jobline/engine';
import type { Deps } from '../../deps.js';
import type { CustomBody } from '../../endpoint.js';

/** What a submission is validated against, in addition to its schema. */
export function rulesOf({ catalogue, settings }: Deps<'catalogue' | 'settings'>): SubmissionRules {
  return { catalogue, allowedTypes: settings.allowedTypes };
}

/** The caller's spelling of `type`. */
export function typeNameIn({ payloadName }: ParsedSubmission): 'type' | 'Type' {
  return payloadName === 'payload' ? 'type' : 'Type';
}

export const submissionBody: CustomBody<ParsedSubmission> = {
  schemas: submissionSchemas,
  validate: (body, deps) => parseSubmission(body, rulesOf(deps)),
};
