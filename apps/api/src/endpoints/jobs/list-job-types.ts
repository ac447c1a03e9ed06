import { NAME_PATTERN } from '@jobline/contracts';
import Joi from 'joi';
import { isVisible } from '../../auth/visible-types.js';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { jobTypeView, toBuiltInTypeView, toCustomTypeView } from '../../views/job-type-view.js';

/** The job types that can run: the built-in ones, and those of live workers. */
export const listJobTypes = defineEndpoint({
  method: 'get',
  path: '/job-types',
  summary: 'List the job types',
  auth: 'jobs:read',
  right: 'jobs',
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
