import { FIRST_STEPS, type FirstStep, NEW_ORGANIZATION_DAYS } from '@jobline/contracts';
import { findFirstSteps } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { json } from '../http/response-specs.js';
import { view } from '../http/view.js';

const firstStepView = view<{ step: FirstStep; done: boolean }>('FirstStep', {
  step: Joi.valid(...FIRST_STEPS),
  done: Joi.boolean(),
});

/** What a new organization has set up. */
export const listFirstSteps = defineEndpoint({
  method: 'get',
  path: '/org/first-steps',
  summary: 'List the first steps of a new organization',
  right: 'settings',
  needs: ['db'],
  responses: {
    200: json(
      `The steps in their order; none ${NEW_ORGANIZATION_DAYS} days after the registration of the organization.`,
      Joi.array().items(firstStepView),
    ),
  },
  async handle({ deps, principal }) {
    const done = await findFirstSteps(deps.db, principal.orgId);
    return { status: 200, body: done ? FIRST_STEPS.map((step) => ({ step, done: done[step] })) : [] };
  },
});
