import {
  CONDITION_WHEN,
  type ConditionWhen,
  type ErrorDetail,
  type JsonObject,
  LIMIT_KEY_PATTERN,
  LIMIT_NAME_PATTERN,
  LIMITS,
  NAME_PATTERN,
  RESERVED_IDS,
  TAG_PATTERN,
} from '@jobline/contracts';
import type { Condition } from '@jobline/db/job-transitions';
import { listOf } from '@jobline/handlers';
import Joi, { type AlternativesSchema, type NumberSchema, type ObjectSchema, type StringSchema } from 'joi';
import { issuesOfPayload, type SubmissionRules, typeIssues } from './check-payload.js';
import { callbackUrl, instant, limitName, shortText, tag } from './fields.js';
import { readReferences } from './references.js';
import type { Submission } from './submission.js';
import { bodyValidator, isJsonObject, keysOf, type Validated } from './validate.js';

/** A submission on the wire, in the spelling with lower-case names. Only this spelling has all fields. */
interface Lowercase {
  id?: string | undefined;
  type: string;
  payload: JsonObject;
  max_retries?: number | undefined;
  priority: number;
  run_at?: Date;
  tags?: string[] | undefined;
  key?: string | undefined;
  limit?: string | undefined;
  expires_at?: Date;
  callback_url?: string;
  after?: { id: string; when: ConditionWhen }[];
}

/** A submission on the wire, in the spelling with capitalized names. */
interface Capitalized {
  ID?: string;
  Type: string;
  Payload: JsonObject;
  MaxRetries?: number;
}

const lowercase: ObjectSchema<Lowercase> = Joi.object({
  id: jobId(),
  type: jobType().required(),
  payload: Joi.object().required(),
  max_retries: maxRetries(),
  priority: priority().default(0),
  run_at: aYearAhead(),
  tags: listOf(LIMITS.tags, tag()).unique().description('For lists: `GET /jobs?tag=`.'),
  key: shortText().description('What limits may count by, such as a customer. For lists: `GET /jobs?key=`.'),
  limit: limitName().description(
    'A limit of the organization that the job is under, in addition to those that list its type.',
  ),
  expires_at: aYearAhead().description(
    'No attempt starts at or after this time: then a pending job fails with `expired`. Later than now and than `run_at`.',
  ),
  callback_url: callbackUrl(),
  after: listOf(LIMITS.after, condition())
    .min(1)
    .unique('id')
    .messages({ 'array.unique': '{{#label}} is a job that "after" has already' })
    .description(
      'The job starts when all of these conditions are met. Its payload may refer to the results of these jobs.',
    ),
}).meta({ view: 'Submission' });

const capitalized: ObjectSchema<Capitalized> = Joi.object({
  ID: jobId(),
  Type: jobType().required(),
  Payload: Joi.object().required(),
  MaxRetries: maxRetries(),
}).meta({ view: 'CapitalizedSubmission' });

const lowercaseNames = keysOf(lowercase);
const capitalizedNames = keysOf(capitalized);
const validateLowercase = bodyValidator(lowercase);
const validateCapitalized = bodyValidator(capitalized);

/** A submission, and the caller's spelling of `payload`, for issues that are found later. */
export interface ParsedSubmission extends Submission {
  payloadName: 'payload' | 'Payload';
}

/** The schemas of a submission, one for each spelling. */
export const submissionSchemas = [lowercase, capitalized] as const;

/** A submission in either spelling, or all its issues with the caller's spelling in their paths. */
export function parseSubmission(
  body: Readonly<Record<string, unknown>>,
  rules: SubmissionRules,
): Validated<ParsedSubmission> {
  const names = Object.keys(body);
  const isCapitalized = names.some((name) => capitalizedNames.has(name));
  if (isCapitalized && names.some((name) => lowercaseNames.has(name))) {
    return { issues: [{ path: '', message: 'the body mixes two spellings, such as "type" and "Payload"; use one' }] };
  }
  return isCapitalized ? parseCapitalized(body, rules) : parseLowercase(body, rules);
}

function parseLowercase(body: Readonly<Record<string, unknown>>, rules: SubmissionRules): Validated<ParsedSubmission> {
  const plain = readPlainSubmission(body);
  const validated: Validated<Lowercase> = plain ? { value: plain } : validateLowercase(body);
  const issues = [
    ...expiryIssues(validated),
    ...typeIssues(rules.allowedTypes, 'type', body.type),
    ...issuesOfPayload(
      rules.catalogue,
      'payload',
      body.type,
      body.payload,
      'value' in validated ? idsIn(validated.value.after) : undefined,
    ),
  ];
  if ('issues' in validated || issues.length > 0) return { issues: [...issuesOf(validated), ...issues] };
  const { id, type, payload, max_retries: maxRetries, priority, tags, key, limit, ...others } = validated.value;
  const runAt = others.run_at ?? null;
  const labels = { tags, limitKey: key, limitName: limit };
  const after = others.after && toConditions(payload, others.after);
  const more = { ...labels, expiresAt: others.expires_at, callbackUrl: others.callback_url, after };
  return { value: { id, type, payload, maxRetries, priority, runAt, ...more, payloadName: 'payload' } };
}

function parseCapitalized(
  body: Readonly<Record<string, unknown>>,
  rules: SubmissionRules,
): Validated<ParsedSubmission> {
  const validated = validateCapitalized(body);
  const issues = [
    ...typeIssues(rules.allowedTypes, 'Type', body.Type),
    ...issuesOfPayload(rules.catalogue, 'Payload', body.Type, body.Payload),
  ];
  if ('issues' in validated || issues.length > 0) return { issues: [...issuesOf(validated), ...issues] };
  const { ID: id, Type: type, Payload: payload, MaxRetries: maxRetries } = validated.value;
  return { value: { id, type, payload, maxRetries, priority: 0, runAt: null, payloadName: 'Payload' } };
}

/** The values of a submission without times and `callback_url`, in the spelling with lower-case names. */
export interface PlainSubmission {
  id: string | undefined;
  type: string;
  payload: JsonObject;
  max_retries: number | undefined;
  priority: number;
  tags: string[] | undefined;
  key: string | undefined;
  limit: string | undefined;
}

const NAMES: ReadonlySet<string> = new Set([
  ...['id', 'type', 'payload', 'max_retries', 'priority'],
  ...['tags', 'key', 'limit'],
]);
const RESERVED: ReadonlySet<unknown> = new Set(RESERVED_IDS);

/**
 * Reads a submission that is clearly valid. Returns null for every other body: then the schema decides, which takes ten
 * times as long, and names the issues. It accepts nothing that the schema rejects, and reads the same values.
 */
export function readPlainSubmission(body: Readonly<Record<string, unknown>>): PlainSubmission | null {
  if (!hasPlainNames(body)) return null;
  const { id, type, payload, max_retries, priority = 0, tags, key, limit } = body;
  if (!isName(type) || !isJsonObject(payload)) return null;
  if (id !== undefined && (!isName(id) || RESERVED.has(id))) return null;
  if (max_retries !== undefined && !isCount(max_retries, LIMITS.maxRetries)) return null;
  if (!isCount(priority, LIMITS.maxPriority)) return null;
  if (!isAbsentOr(tags, areTags)) return null;
  if (!isAbsentOr(key, (value) => isText(value, LIMIT_KEY_PATTERN))) return null;
  if (!isAbsentOr(limit, (value) => isText(value, LIMIT_NAME_PATTERN))) return null;
  return { id, type, payload, max_retries, priority, tags, key, limit };
}

/** Whether a submission may be read without the schema, if its values are valid. */
export function hasPlainNames(body: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(body).every((name) => NAMES.has(name));
}

function isAbsentOr<T>(value: unknown, isValid: (value: unknown) => value is T): value is T | undefined {
  return value === undefined || isValid(value);
}

function isName(value: unknown): value is string {
  return isText(value, NAME_PATTERN);
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function areTags(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length > LIMITS.tags || new Set(value).size < value.length) return false;
  return value.every((one) => isText(one, TAG_PATTERN));
}

/** Not -0, which the schema converts to 0. */
function isCount(value: unknown, max: number): value is number {
  return Number.isInteger(value) && Number(value) <= max && (Number(value) > 0 || Object.is(value, 0));
}

function issuesOf(validated: Validated<unknown>): ErrorDetail[] {
  return 'issues' in validated ? validated.issues : [];
}

/** An issue if a job expires before it is due. Whether it has expired already is known after replays are recognized. */
function expiryIssues(validated: Validated<Lowercase>): ErrorDetail[] {
  if ('issues' in validated) return [];
  const { run_at, expires_at } = validated.value;
  if (!run_at || !expires_at || expires_at > run_at) return [];
  return [{ path: 'expires_at', message: '"expires_at" must be later than "run_at"' }];
}

export function jobType(): StringSchema {
  return Joi.string()
    .pattern(NAME_PATTERN)
    .messages({ 'string.pattern.base': '{{#label}} must be 1 to 128 characters of A-Z a-z 0-9 . _ : -' });
}

/** An entry of `after`: `"x"` is the same as `{"id": "x", "when": "done"}`. */
function condition(): AlternativesSchema {
  const entry = Joi.object({
    id: jobId().required().description('Of a job of the organization, or of this request.'),
    when: Joi.valid(...CONDITION_WHEN)
      .default('done')
      .description(
        '`ended`: the job is done or failed. `paid`: the payment of a `mobile_money_stk` job is recorded as paid.',
      ),
  });
  const short = jobId().custom((id: string) => ({ id, when: 'done' }));
  // biome-ignore lint/suspicious/noThenProperty: required by Joi's API
  return Joi.alternatives().conditional(Joi.string(), { then: short, otherwise: entry });
}

function idsIn(after: Lowercase['after']): string[] | undefined {
  return after?.map(({ id }) => id);
}

/** The conditions of a job with this payload. */
export function toConditions(payload: JsonObject, after: readonly { id: string; when: ConditionWhen }[]): Condition[] {
  const ids = after.map(({ id }) => id);
  const referred = new Set(readReferences('payload', payload, ids).references.map(({ from }) => from));
  return after.map(({ id, when }) => ({ id, when, refers: referred.has(id) }));
}

/** The conditions of a rerun with this payload. `after`: the ids in the `after` of the job that runs again. */
export function conditionsOfRerun(payload: JsonObject, after: readonly string[]): Condition[] | undefined {
  const referred = toConditions(
    payload,
    after.map((id) => ({ id, when: 'ended' as const })),
  ).filter(({ refers }) => refers);
  return referred.length > 0 ? referred : undefined;
}

function jobId(): StringSchema {
  return jobType()
    .invalid(...RESERVED_IDS)
    .messages({ 'any.invalid': '{{#label}} is a reserved name' });
}

function maxRetries(): NumberSchema {
  return Joi.number()
    .integer()
    .min(0)
    .max(LIMITS.maxRetries)
    .description('Default: that of the handler of the type, or 0.');
}

/** 0 to 9. */
export function priority(): NumberSchema {
  return Joi.number().integer().min(0).max(LIMITS.maxPriority);
}

/** A time that is at most a year ahead. */
export function aYearAhead(): StringSchema {
  // Text, if it is not an instant: that issue is reported already.
  return instant().custom((at: Date | string, { message }) =>
    typeof at === 'string' || at.getTime() <= Date.now() + LIMITS.runAtAheadMs
      ? at
      : message({ custom: '{{#label}} must be at most a year in the future' }),
  );
}
