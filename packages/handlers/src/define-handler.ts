import { inspect } from 'node:util';
import {
  type AboutField,
  FILE_NAME_LENGTH,
  type JobStatus,
  type JsonObject,
  MAX_ARTIFACT_BYTES,
  type OrgId,
} from '@jobline/contracts';
import Joi, { type ObjectSchema } from 'joi';
import { FILE_NAME_RULE, isFileName } from './file-name.js';
import type { JobRun, Ports, ValidationFailure } from './ports/index.js';
import type { NamedSource, Source, SourceBytes } from './source.js';

/** The queue of deliveries of events. It has no other jobs, so that slow receivers do not use their slots. */
export const EVENTS_QUEUE = 'events';
/** The queues of the built-in job types, by what their jobs need: network calls, processor time, or a browser. */
export const QUEUES = ['io', 'cpu', 'browser', EVENTS_QUEUE] as const;
export const QUEUE_PATTERN = /^[a-z][a-z0-9-]{0,31}$/;

/** The queue of a job type that names none. */
export const DEFAULT_QUEUE = 'io';
export const DEFAULT_TIMEOUT_MS = 60_000;

/** The job that a handler runs, with the names of the API. What is not set is null, and without tags the list is empty. */
export interface RunningJob {
  id: string;
  type: string;
  tags: string[];
  key: string | null;
  priority: number;
  /** How many retries failures have used so far. */
  retries: number;
  max_retries: number;
  created_at: string;
  /** When this attempt was due. */
  run_at: string;
  expires_at: string | null;
  /** The schedule that made the job. */
  schedule_id: string | null;
  /** The time for which the schedule made it; null: it was run by hand. */
  planned_at: string | null;
}

/** What a handler receives in addition to its payload. */
export interface RunContext extends JobRun {
  /** A copy: changes have no effect. */
  readonly job: RunningJob;
  /** Whether no retry follows if this attempt fails. */
  readonly isLastAttempt: boolean;
  /**
   * Submits a job for the organization, with the checks and defaults of `POST /jobs`. Rejects with an error that has `code` and
   * `details`. Later attempts of this job get the jobs of earlier ones: calls are recognized by `options.id` or, without
   * it, by their order. A call that says something else is rejected with `conflict`.
   */
  submit(type: string, payload: object, options?: SubmitOptions): Promise<SubmittedJob>;
  /**
   * Stores a file with the job, where its organization can download it. Rejects if the file cannot be stored, or if
   * another worker has claimed the job in the meantime: its files are never overwritten.
   */
  saveArtifact(artifact: Artifact): Promise<void>;
  /**
   * Reads what a source holds. Rejects with `invalid_payload` if it does not exist (any more) or has more than `maxBytes`
   * bytes. The memory of a worker for what its jobs have read is limited: waits until there is enough of it.
   */
  readSource(source: Source, maxBytes: number): Promise<SourceBytes>;
  /**
   * Reports how far the attempt is, from 0 to 100, with a text of at most 1 KiB. May be called at any rate: the latest
   * report is stored, at most once a second. Throws if `percent` is no number from 0 to 100.
   */
  progress(percent: number, text?: string): void;
  /** The external services that a handler can use. */
  readonly ports: Ports;
}

/** A report of a handler. */
export interface ReportedProgress {
  percent: number;
  /** Null: it gave none. */
  text: string | null;
}

const MAX_PROGRESS_TEXT_LENGTH = 1_024;

/** Throws unless the report is valid. Its text is at most as long as may be stored; the engine cuts it to bytes. */
export function checkProgress(percent: number, text?: string): ReportedProgress {
  if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) {
    throw new RangeError(`progress must be a number from 0 to 100, not ${inspect(percent)}`);
  }
  return { percent, text: text == null ? null : String(text).slice(0, MAX_PROGRESS_TEXT_LENGTH) };
}

/** The fields of `POST /jobs`, but for `type` and `payload`. */
export interface SubmitOptions {
  id?: string;
  max_retries?: number;
  priority?: number;
  run_at?: string;
  tags?: readonly string[];
  key?: string;
  limit?: string;
  expires_at?: string;
  callback_url?: string;
  after?: readonly (string | { id: string; when?: 'done' | 'ended' | 'paid' })[];
}

export interface SubmittedJob {
  id: string;
  status: JobStatus;
}

/** A file that a job creates and that its organization can download. */
export interface Artifact {
  /**
   * 1 to 128 letters, digits, dots, hyphens and underscores. It replaces an artifact of the same job with the same
   * name.
   */
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

/** What the check at submission receives. */
export interface PrecheckContext {
  readonly orgId: OrgId;
  readonly ports: Pick<Ports, 'compose'>;
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** A job type: the schema of its payload, what it needs and what it does. */
export interface Handler<P extends object = object> {
  /** The name of the type in the API. */
  readonly type: string;
  /** A one-line description for people. */
  readonly summary: string;
  readonly queue: string;
  /** When this limit passes, the signal is aborted and the attempt fails with `timeout`. */
  readonly timeoutMs: number;
  /** The `max_retries` of submissions that name none. Absent: 0. */
  readonly maxRetries?: number | undefined;
  /** How long retries wait, in milliseconds. Absent: as the worker is configured. */
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number } | undefined;
  /** Called before a worker takes jobs. If it throws, the worker does not start. */
  setup?(): unknown;
  /** Called after the last job of a worker. If it throws or takes too long, the worker ends nevertheless. */
  close?(): unknown;
  /** Validated at submission and before each run. Unknown keys are kept and ignored. Absent: any object is valid. */
  readonly payload?: ObjectSchema<P>;
  /** The fields of the result, for the API document. Only built-in types have it. */
  readonly result?: ObjectSchema;
  /** A schema of another library. Only the worker validates it, because validation may take long. */
  readonly schema?: StandardSchema<P>;
  /**
   * Checks what a schema cannot, because it needs the stored data of the organization. Called at submission, with a
   * payload that matches the schema; `run` must check it again. Absent: there is no such check and no cost.
   */
  precheck?(payload: P, ctx: PrecheckContext): Promise<ValidationFailure | null>;
  /**
   * The sources in a valid payload. Those of a built-in type are checked at submission, and cannot be deleted until the job has
   * finished. The memory for all of them is reserved together.
   */
  sources?(payload: P): readonly NamedSource[];
  /**
   * The recipients, phone or host that a payload names, by the field that names them. Pure. Only built-in types have it. A value may
   * be a reference to the result of another job, so `aboutsOf` leaves out what is no text.
   */
  about?(payload: P): Readonly<Partial<Record<AboutField, unknown>>>;
  /** The subject in a payload, by which a search finds the job. Only types with `about` have it. It may be a reference, too. */
  subject?(payload: P): unknown;
  /**
   * Does the work. Returns the result of the job (any JSON value), or throws to fail the attempt: `RetryLater` for a
   * longer wait, `PermanentError` if no retry may follow. After any other error the job is retried while it has retries
   * left.
   */
  run(payload: P, ctx: RunContext): Promise<unknown>;
}

/** What holds for the jobs of a type whose submission says nothing about it. */
export interface HandlerDefaults {
  max_retries?: number;
  /** The time limit of an attempt, instead of `timeoutMs`. */
  timeout_ms?: number;
  /** The wait before the first retry, which doubles with each further retry, and the longest wait. */
  backoff?: { base_ms: number; max_ms: number };
}

/**
 * The definition of a handler. `summary` defaults to the type, `queue` and `timeoutMs` to the constants above. A
 * `schema` only validates: the handler receives the payload as it was submitted.
 */
export type HandlerDefinition<P extends object> = Pick<
  Handler<P>,
  'type' | 'payload' | 'schema' | 'result' | 'precheck' | 'sources' | 'about' | 'subject' | 'setup' | 'close' | 'run'
> &
  Partial<Pick<Handler<P>, 'summary' | 'queue' | 'timeoutMs' | 'maxRetries' | 'backoff'>> & {
    readonly defaults?: HandlerDefaults | undefined;
  };

/** A schema of any library that follows Standard Schema (https://standardschema.dev): Zod, Valibot, ArkType and more. */
export interface StandardSchema<P> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    /** Converts the schema. Absent: its library cannot. */
    readonly jsonSchema?:
      | { readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown> }
      | undefined;
    /** Never present at run time. The compiler reads the type of the payload from it. */
    readonly types?: { readonly input: P } | undefined;
  };
}

interface StandardResult {
  /** Absent: the value is valid. */
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Creates a handler whose payload is typed. A Joi schema in `schema` becomes `payload`. */
export function defineHandler<P extends object = JsonObject>(definition: HandlerDefinition<P>): Handler<P> {
  const { schema, defaults = {}, ...rest } = definition;
  const { max_retries: maxRetries, timeout_ms: timeoutMs = DEFAULT_TIMEOUT_MS, backoff } = defaults;
  return {
    ...{ summary: definition.type, queue: DEFAULT_QUEUE, timeoutMs },
    ...(maxRetries !== undefined && { maxRetries }),
    ...(backoff && { backoff: { baseMs: backoff.base_ms, maxMs: backoff.max_ms } }),
    ...rest,
    ...(isJoi<P>(schema) ? { payload: schema } : schema && { schema }),
  };
}

/** Recognizes schemas of any Joi version. */
function isJoi<P>(schema: unknown): schema is ObjectSchema<P> {
  return Joi.isSchema(schema, { legacy: true });
}

/** A content type, perhaps with a charset. */
export const CONTENT_TYPE_PATTERN = /^[a-z0-9][\w.+-]*\/[a-z0-9][\w.+-]*(; ?charset=[\w-]+)?$/i;

/** Why an artifact is invalid, as a sentence; null if it is valid. */
export function artifactIssue({ name, contentType, bytes }: Artifact): string | null {
  if (!isFileName(name)) {
    return `"${name.slice(0, FILE_NAME_LENGTH).toWellFormed()}" is not a valid artifact name: ${FILE_NAME_RULE}`;
  }
  if (!CONTENT_TYPE_PATTERN.test(contentType)) return `"${contentType.slice(0, 128)}" is not a content type`;
  if (bytes.length > MAX_ARTIFACT_BYTES) {
    return `the artifact ${name} has ${bytes.length} bytes; the limit is ${MAX_ARTIFACT_BYTES}`;
  }
  return null;
}
