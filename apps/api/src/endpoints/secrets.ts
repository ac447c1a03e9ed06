import { LIMIT_NAME_PATTERN, SECRET_LIMITS } from '@jobline/contracts';
import {
  deleteSecret as deleteSecretRow,
  listSecrets as listSecretRows,
  putSecret as putSecretRow,
  type SecretRow,
} from '@jobline/db';
import { listOf, parseUrl } from '@jobline/handlers';
import Joi, { type CustomHelpers } from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { invalidRequest, notFound, quotaReached } from '../http/errors.js';
import { empty, json } from '../http/response-specs.js';
import { mapTo, timestamp, type ViewOf, view } from '../http/view.js';

/** The format of a secret's name, as of a limit's. */
const NAME_PATTERN = LIMIT_NAME_PATTERN;

const secretView = view<ViewOf<SecretRow>>('Secret', {
  name: Joi.string().pattern(NAME_PATTERN),
  hosts: Joi.array().items(Joi.string()).description('The only hosts to which it is sent.'),
  created_at: timestamp(),
  updated_at: timestamp().description('When its value or its hosts were set last.'),
});

const toSecretView = mapTo(secretView);

interface SecretBody {
  value: string;
  hosts: string[];
}

const body = Joi.object<SecretBody, true>({
  value: Joi.string()
    .min(SECRET_LIMITS.leastLength)
    .max(SECRET_LIMITS.length)
    .pattern(/^[\x21-\x7e\xa1-\xff](?:[\t\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa1-\xff])?$/)
    .messages({
      'string.pattern.base': '{{#label}} must be a text that a header can carry, without white space around it',
    })
    .required()
    .description('No response contains it.'),
  hosts: listOf(SECRET_LIMITS.hosts, Joi.string().max(255).custom(hostName)).min(1).required(),
}).meta({ view: 'SecretValue' });

/** The host as URLs have it: in lower case, and in its ASCII form. */
function hostName(text: string, { message }: CustomHelpers) {
  const isName = /^[^\s/?#@\\:]+$/.test(text) || /^\[[0-9a-f:.]+\]$/i.test(text);
  const host = isName ? parseUrl(`https://${text}/`)?.hostname : undefined;
  return host || message({ custom: '{{#label}} must be the name of a host, without a port' });
}

/** The names of the organization's secrets. There are at most 100. */
export const listSecrets = defineEndpoint({
  method: 'get',
  path: '/org/secrets',
  summary: 'List secrets, without their values',
  right: 'secrets',
  needs: ['db'],
  responses: { 200: json('All secrets, by name.', Joi.array().items(secretView)) },
  async handle({ deps, principal }) {
    return { status: 200, body: (await listSecretRows(deps.db, principal.orgId)).map(toSecretView) };
  },
});

/** Creates a secret, or replaces its value and its hosts. */
export const putSecret = defineEndpoint({
  method: 'put',
  path: '/org/secrets/:name',
  summary: 'Set a secret',
  right: 'secrets',
  needs: ['cipher', 'db'],
  // A name that cannot exist is an issue of this request.
  params: { name: /^.*$/su },
  body,
  responses: { 200: json('The secret, without its value.', secretView) },
  errors: ['conflict'],
  async handle({ deps, principal: { orgId }, origin, params: { name }, body: { value, hosts } }) {
    if (!NAME_PATTERN.test(name)) {
      throw invalidRequest([{ path: 'name', message: '"name" must be 1 to 64 characters of A-Z a-z 0-9 . _ : -' }]);
    }
    const secret = { name, value, hosts: [...new Set(hosts)], origin, cipher: deps.cipher };
    const row = await putSecretRow(deps.db, orgId, secret);
    if (row === 'full') throw quotaReached('secrets');
    return { status: 200, body: toSecretView(row) };
  },
});

/** Deletes a secret. Jobs that need it fail. */
export const deleteSecret = defineEndpoint({
  method: 'delete',
  path: '/org/secrets/:name',
  summary: 'Delete a secret',
  right: 'secrets',
  needs: ['db'],
  params: { name: NAME_PATTERN },
  responses: { 204: empty('The secret is deleted.') },
  async handle({ deps, principal: { orgId }, origin, params: { name } }) {
    if (!(await deleteSecretRow(deps.db, orgId, name, origin))) throw notFound();
    return { status: 204 };
  },
});
