import { type ErrorDetail, type JsonObject, LIMITS, NAME_PATTERN, RESERVED_IDS } from '@jobline/contracts';
import type { Submission } from '@jobline/engine';
import { type Catalogue, payloadFaults } from '@jobline/handlers';
import Joi, { type NumberSchema, type ObjectSchema, type StringSchema } from 'joi';
import type { AppSettings, EndpointDeps } from '../../deps.js';
import type { CustomBody } from '../../endpoint.js';
import { instant } from '../../http/fields.js';
import { bodyRule, isJsonObject, namesOf, type Read } from '../../http/validate.js';
import { typeFaults } from './allowed-types.js';
import { payloadShapeFaults } from './payload-shape.js';

/** A submission on the wire, in the spelling with small letters and with what that one has beside. */
interface Lowercase {
  id?: string;
  type: string;
  payload: JsonObject;
  max_retries: number;
  priority: number;
  run_at?: Date;
}

/** The same in the other spelling. */
interface Capitalised {
  ID?: string;
  Type: string;
  Payload: JsonObject;
  MaxRetries: number;
}

const lowercase: ObjectSchema<Lowercase> = Joi.object({
  id: jobId(),
  type: jobType().required(),
  payload: Joi.object().required(),
  max_retries: maxRetries(),
  priority: Joi.number().integer().min(0).max(LIMITS.maxPriority).default(0),
  run_at: runAt(),
}).meta({ view: 'Submission' });

const capitalised: ObjectSchema<Capitalised> = Joi.object({
  ID: jobId(),
  Type: jobType().required(),
  Payload: Joi.object().required(),
  MaxRetries: maxRetries(),
}).meta({ view: 'CapitalisedSubmission' });

const lowercaseNames = namesOf(lowercase);
const capitalisedNames = namesOf(capitalised);
const lowercaseRule = bodyRule(lowercase);
const capitalisedRule = bodyRule(capitalised);

/** A submission, and how its caller spells `payload`: for faults that are found later. */
export interface ReadSubmission extends Submission {
  payloadName: 'payload' | 'Payload';
}

export const submissionBody: CustomBody<ReadSubmission> = {
  schemas: [lowercase, capitalised],
  read: (body, deps) => readSubmission(body, rulesOf(deps)),
};

/** What a submission is checked against, beside its own form. */
export interface SubmissionRules extends Pick<AppSettings, 'allowedTypes'> {
  catalogue: Catalogue;
}

export function rulesOf({ catalogue, settings }: Pick<EndpointDeps, 'catalogue' | 'settings'>): SubmissionRules {
  return { catalogue, allowedTypes: settings.allowedTypes };
}

/** A submission in either spelling, or every fault it has, named as its caller spells. */
export function readSubmission(body: Readonly<Record<string, unknown>>, rules: SubmissionRules): Read<ReadSubmission> {
  const names = Object.keys(body);
  const isCapitalised = names.some((name) => capitalisedNames.has(name));
  if (isCapitalised && names.some((name) => lowercaseNames.has(name))) {
    return { faults: [{ path: '', message: 'the body mixes two spellings, as "type" and "Payload"; use one' }] };
  }
  return isCapitalised ? readCapitalised(body, rules) : readLowercase(body, rules);
}

function readLowercase(body: Readonly<Record<string, unknown>>, rules: SubmissionRules): Read<ReadSubmission> {
  const read = lowercaseRule(body);
  const faults = [
    ...typeFaults(rules.allowedTypes, 'type', body.type),
    ...faultsOfPayload(rules.catalogue, 'payload', body.type, body.payload),
  ];
  if ('faults' in read || faults.length > 0) return { faults: [...faultsOf(read), ...faults] };
  const { id, type, payload, max_retries: maxRetries, priority, run_at } = read.value;
  return { value: { id, type, payload, maxRetries, priority, runAt: run_at ?? null, payloadName: 'payload' } };
}

function readCapitalised(body: Readonly<Record<string, unknown>>, rules: SubmissionRules): Read<ReadSubmission> {
  const read = capitalisedRule(body);
  const faults = [
    ...typeFaults(rules.allowedTypes, 'Type', body.Type),
    ...faultsOfPayload(rules.catalogue, 'Payload', body.Type, body.Payload),
  ];
  if ('faults' in read || faults.length > 0) return { faults: [...faultsOf(read), ...faults] };
  const { ID: id, Type: type, Payload: payload, MaxRetries: maxRetries } = read.value;
  return { value: { id, type, payload, maxRetries, priority: 0, runAt: null, payloadName: 'Payload' } };
}

function faultsOf(read: Read<unknown>): ErrorDetail[] {
  return 'faults' in read ? read.faults : [];
}

/** The faults inside a payload; that there is none, or no object, is the schema's to say. */
function faultsOfPayload(catalogue: Catalogue, name: string, type: unknown, payload: unknown): ErrorDetail[] {
  if (!isJsonObject(payload)) return [];
  const shape = payloadShapeFaults(name, payload);
  if (shape.length > 0 || typeof type !== 'string') return shape;
  return payloadFaults(catalogue, type, payload).map(({ path, message }) => ({
    path: path.replace('payload', name),
    message,
  }));
}

function jobType(): StringSchema {
  return Joi.string()
    .pattern(NAME_PATTERN)
    .messages({ 'string.pattern.base': '{{#label}} must be 1 to 128 of A-Z a-z 0-9 . _ : -' });
}

function jobId(): StringSchema {
  return jobType()
    .invalid(...RESERVED_IDS)
    .messages({ 'any.invalid': '{{#label}} is taken by a path of the service' });
}

function maxRetries(): NumberSchema {
  return Joi.number().integer().min(0).max(LIMITS.maxRetries).default(0);
}

function runAt(): StringSchema {
  return instant().custom((at: Date, { message }) =>
    at.getTime() <= Date.now() + LIMITS.runAtAheadMs
      ? at
      : message({ custom: '{{#label}} must be at most a year ahead' }),
  );
}
