import { NAME_PATTERN } from '@jobline/contracts';
import type { LiveType } from '@jobline/db';
import { type Handler, QUEUES } from '@jobline/handlers';
import Joi from 'joi';
import { isVisible } from '../../auth/authorize.js';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { count, text, view } from '../../http/view.js';
import { payloadSchema } from '../../openapi/job-types.js';

/** A job type. */
interface JobTypeView {
  type: string;
  queue: string;
  built_in: boolean;
  timeout_ms: number | null;
  workers: number;
  schema: object | null;
  versions?: string[];
}

const jobTypeFields = {
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
  versions: Joi.array()
    .items(text())
    .description('The `WORKER_VERSION`s of these workers. Absent if none of them has one.')
    .optional(),
};

const jobTypeView = view<JobTypeView>('JobType', jobTypeFields);

/** A type that the API knows, with what its live workers say; null: none has it. */
function toBuiltInTypeView(handler: Handler, live: LiveType | null): JobTypeView {
  return {
    type: handler.type,
    queue: live?.queue ?? handler.queue,
    built_in: true,
    timeout_ms: live?.timeoutMs ?? handler.timeoutMs,
    workers: live?.workers ?? 0,
    schema: payloadSchema(handler),
    ...versionsOf(live),
  };
}

function versionsOf(live: LiveType | null): Pick<JobTypeView, 'versions'> {
  return live && live.versions.length > 0 ? { versions: live.versions } : {};
}

function toCustomTypeView(live: LiveType): JobTypeView {
  const { type, queue, timeoutMs, workers, schema } = live;
  // The cast: workers publish objects only.
  const parsed = schema === null ? null : (JSON.parse(schema) as object);
  return { type, queue, built_in: false, timeout_ms: timeoutMs, workers, schema: parsed, ...versionsOf(live) };
}

/** The job types that can run: the built-in ones, and those of live workers. */
export const listJobTypes = defineEndpoint({
  method: 'get',
  path: '/job-types',
  summary: 'List the job types',
  auth: 'jobs:read',
  needs: ['catalogue', 'liveTypes'],
  responses: { 200: json('All job types that the caller may see, by name.', Joi.array().items(jobTypeView)) },
  async handle({ deps, principal }) {
    const live = new Map((await deps.liveTypes()).map((one) => [one.type, one]));
    const builtIn = [...deps.catalogue.values()].map((handler) =>
      toBuiltInTypeView(handler, live.get(handler.type) ?? null),
    );
    // Deliveries of events have a type that is not a name.
    const custom = [...live.values()]
      .filter(({ type }) => NAME_PATTERN.test(type) && !deps.catalogue.has(type))
      .map(toCustomTypeView);
    const types = [...builtIn, ...custom].filter(({ type }) => isVisible(principal.types, type));
    return { status: 200, body: types.sort((a, b) => (a.type < b.type ? -1 : 1)) };
  },
});
