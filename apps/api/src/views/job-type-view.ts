import { NAME_PATTERN } from '@jobline/contracts';
import type { LiveType } from '@jobline/db';
import { type Handler, QUEUES } from '@jobline/handlers';
import Joi from 'joi';
import { payloadSchema } from '../openapi/job-types.js';
import { count, view } from './view.js';

/** A job type. */
export interface JobTypeView {
  type: string;
  queue: string;
  built_in: boolean;
  timeout_ms: number | null;
  workers: number;
  schema: object | null;
}

export const jobTypeView = view<JobTypeView>('JobType', {
  type: Joi.string().pattern(NAME_PATTERN),
  queue: Joi.string().meta({ jsonSchema: { examples: [...QUEUES] } }),
  built_in: Joi.boolean(),
  timeout_ms: count().allow(null).description('Time limit of an attempt. Null: its workers are of an older version.'),
  workers: count().description('The number of live workers that have a handler for the type.'),
  schema: Joi.object()
    .unknown()
    .allow(null)
    .description(
      'The JSON Schema of a payload. Null: the handler publishes none, and payloads are not checked at submission.',
    ),
});

/** A type that the API knows, with what its live workers say; null: none has it. */
export function toBuiltInTypeView(handler: Handler, live: LiveType | null): JobTypeView {
  return {
    type: handler.type,
    queue: live?.queue ?? handler.queue,
    built_in: true,
    timeout_ms: live?.timeoutMs ?? handler.timeoutMs,
    workers: live?.workers ?? 0,
    schema: payloadSchema(handler),
  };
}

export function toCustomTypeView({ type, queue, timeoutMs, workers, schema }: LiveType): JobTypeView {
  // The cast: workers publish objects only.
  const parsed = schema === null ? null : (JSON.parse(schema) as object);
  return { type, queue, built_in: false, timeout_ms: timeoutMs, workers, schema: parsed };
}
