import { ARTIFACT_NAME_PATTERN, type JsonObject, MAX_ARTIFACT_BYTES, type OrgId } from '@jobline/contracts';
import Joi, { type ObjectSchema } from 'joi';
import type { JobRun, Ports, ValidationFailure } from './ports/index.js';

/** The queues of job types, by what their jobs need: network calls, processor time, or a browser. */
export const JOB_QUEUES = ['io', 'cpu', 'browser'] as const;
/** All queues. `events` has only deliveries of events, so that slow receivers do not use the slots of other jobs. */
export const QUEUES = [...JOB_QUEUES, 'events'] as const;
export type QueueName = (typeof QUEUES)[number];

/** The queue of a job type that names none. */
export const DEFAULT_QUEUE: QueueName = 'io';
export const DEFAULT_TIMEOUT_MS = 60_000;

/** What a handler receives in addition to its payload. */
export interface RunContext extends JobRun {
  /**
   * Stores a file with the job, where its organization can download it. Rejects if the file cannot be stored, or if
   * another worker has claimed the job in the meantime: its files are never overwritten.
   */
  saveArtifact(artifact: Artifact): Promise<void>;
  /** The external services that a handler can use. */
  readonly ports: Ports;
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
  readonly queue: QueueName;
  /** When this limit passes, the signal is aborted and the attempt fails with `timeout`. */
  readonly timeoutMs: number;
  /** Validated at submission and before each run. Unknown keys are kept and ignored. Absent: any object is valid. */
  readonly payload?: ObjectSchema<P>;
  /** A schema of another library. Only the worker validates it, because validation may take long. */
  readonly schema?: StandardSchema<P>;
  /**
   * Checks what a schema cannot, because it needs the stored data of the organization. Called at submission, with a
   * payload that matches the schema; `run` must check it again. Absent: there is no such check and no cost.
   */
  precheck?(payload: P, ctx: PrecheckContext): Promise<ValidationFailure | null>;
  /**
   * Does the work. Returns the result of the job (any JSON value), or throws to fail the attempt: `RetryLater` for a
   * longer wait, `PermanentError` if no retry may follow. After any other error the job is retried while it has retries
   * left.
   */
  run(payload: P, ctx: RunContext): Promise<unknown>;
}

/**
 * The definition of a handler. `summary` defaults to the type, `queue` and `timeoutMs` to the constants above. A
 * `schema` only validates: the handler receives the payload as it was submitted.
 */
export type HandlerDefinition<P extends object> = Pick<Handler<P>, 'type' | 'payload' | 'schema' | 'precheck' | 'run'> &
  Partial<Pick<Handler<P>, 'summary' | 'queue' | 'timeoutMs'>>;

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
  const { schema, ...rest } = definition;
  const defaults = { summary: definition.type, queue: DEFAULT_QUEUE, timeoutMs: DEFAULT_TIMEOUT_MS };
  return { ...defaults, ...rest, ...(isJoi<P>(schema) ? { payload: schema } : schema && { schema }) };
}

/** Recognizes schemas of any Joi version. */
function isJoi<P>(schema: unknown): schema is ObjectSchema<P> {
  return Joi.isSchema(schema, { legacy: true });
}

const CONTENT_TYPE = /^[a-z0-9][\w.+-]*\/[a-z0-9][\w.+-]*(; ?charset=[\w-]+)?$/i;

/** Why an artifact is invalid, as a sentence; null if it is valid. */
export function artifactIssue({ name, contentType, bytes }: Artifact): string | null {
  if (!ARTIFACT_NAME_PATTERN.test(name)) {
    return `"${name.slice(0, 128)}" is not a valid artifact name: use 1 to 128 of A-Z a-z 0-9 . _ -`;
  }
  if (!CONTENT_TYPE.test(contentType)) return `"${contentType.slice(0, 128)}" is not a content type`;
  if (bytes.length > MAX_ARTIFACT_BYTES) {
    return `the artifact ${name} has ${bytes.length} bytes; the limit is ${MAX_ARTIFACT_BYTES}`;
  }
  return null;
}
