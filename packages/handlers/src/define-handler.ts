import type { JsonObject, OrgId } from '@jobline/contracts';
import Joi, { type ObjectSchema } from 'joi';
import type { Artifact } from './artifact.js';
import type { Ports, ValidationFailure } from './ports/index.js';
import type { JobRun } from './run-context.js';
import type { StandardSchema } from './standard-schema.js';

/** The queues there are, by what their jobs need: calls to others, processor time, a browser. */
export const QUEUES = ['io', 'cpu', 'browser'] as const;
export type QueueName = (typeof QUEUES)[number];

/** Where a job goes whose type says nothing else. */
export const DEFAULT_QUEUE: QueueName = 'io';
export const DEFAULT_TIMEOUT_MS = 60_000;

/** What a handler receives in addition to its payload. */
export interface RunContext extends JobRun {
  /**
   * Keeps a file with the job, where its organization can fetch it. Rejects when the file cannot be kept, or when the
   * job was meanwhile given to another worker: then nothing of that one's is overwritten.
   */
  saveArtifact(artifact: Artifact): Promise<void>;
  /** The outside world, as far as the service offers it. */
  readonly ports: Ports;
}

/** What a submission is looked at with. */
export interface PrecheckContext {
  readonly orgId: OrgId;
  readonly ports: Pick<Ports, 'compose'>;
  /** Fires when the caller does not wait any more. */
  readonly signal: AbortSignal;
}

/** A job type: what its payload looks like, what it needs and what it does. */
export interface Handler<P extends object = object> {
  /** Selects it, as on the wire. */
  readonly type: string;
  /** One line for people. */
  readonly summary: string;
  readonly queue: QueueName;
  /** Past it the signal fires and the attempt fails with `timeout`. */
  readonly timeoutMs: number;
  /** Checked at submission and again before each run; unknown keys are kept and ignored. Absent: any object. */
  readonly payload?: ObjectSchema<P>;
  /** The same in the words of another library; checked by the worker alone, because it may take its time. */
  readonly schema?: StandardSchema<P>;
  /**
   * What the schema cannot say, because it takes a look at what the organization has stored. Asked at submission, about a
   * payload that keeps the schema; `run` has to see to it again. Absent: nothing is asked, and it costs nothing.
   */
  precheck?(payload: P, ctx: PrecheckContext): Promise<ValidationFailure | null>;
  /**
   * Does the work. Returns the job's result (anything that JSON can hold) or throws to fail the attempt: `RetryLater` to
   * ask for a longer wait, `PermanentError` where no retry may follow; anything else is retried while retries are left.
   */
  run(payload: P, ctx: RunContext): Promise<unknown>;
}

/**
 * A handler as its author writes it: `summary` defaults to the type, `queue` and `timeoutMs` to the values above. A
 * `schema` only looks at the payload: the handler is given it as it was submitted.
 */
export type HandlerDefinition<P extends object> = Pick<Handler<P>, 'type' | 'payload' | 'schema' | 'precheck' | 'run'> &
  Partial<Pick<Handler<P>, 'summary' | 'queue' | 'timeoutMs'>>;

/** Makes a handler and gives its payload a type. A schema that is Joi's is the handler's `payload`. */
export function defineHandler<P extends object = JsonObject>(definition: HandlerDefinition<P>): Handler<P> {
  const { schema, ...rest } = definition;
  const defaults = { summary: definition.type, queue: DEFAULT_QUEUE, timeoutMs: DEFAULT_TIMEOUT_MS };
  return { ...defaults, ...rest, ...(isJoi<P>(schema) ? { payload: schema } : schema && { schema }) };
}

/** Of any version. */
function isJoi<P>(schema: unknown): schema is ObjectSchema<P> {
  return Joi.isSchema(schema, { legacy: true });
}
