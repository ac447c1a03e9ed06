import { type JsonObject, LIMIT_NAME_PATTERN, type OrgId, SECRET_LIMITS } from '@jobline/contracts';
import Joi, { type CustomHelpers } from 'joi';
import { defineHandler } from '../define-handler.js';
import { HandlerError, PermanentError } from '../errors.js';
import { ANSWER_BYTES, type AnswerBody, readAnswerBody } from '../http/answer-body.js';
import { createHideSecrets } from '../http/hide-secrets.js';
import { hostOf, outboundUrl, withoutQuery } from '../http/outbound-url.js';
import { responseFailure, USER_AGENT } from '../http/requests.js';
import { standardWebhookHeaders } from '../http/standard-webhooks.js';
import type { OutboundResponse, Secrets } from '../ports/index.js';
import { resultFields } from '../result-fields.js';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'] as const;

interface Payload {
  url: string;
  /** Default: POST. */
  method?: (typeof METHODS)[number];
  /** In addition to ours, or instead of them. A value may be a secret of the organization, given by its name. */
  headers?: Record<string, string | SecretName>;
  /** The body. A GET has none. */
  payload?: JsonObject;
}

interface SecretName {
  $secret: string;
}

/** The result of the job. */
export interface WebhookResult extends AnswerBody {
  status: number;
}

const ANSWER_TIMEOUT_MS = 15_000;
const EXCERPT_LENGTH = 1024;

/** Delivers at least once: every attempt of a job has the same `webhook-id`, so a receiver can detect repeats. */
export const webhook = defineHandler<Payload>({
  type: 'webhook',
  summary: 'Send a signed JSON object to a URL',
  queue: 'io',
  // Slightly above the limit of the call itself, whose message is more specific.
  timeoutMs: ANSWER_TIMEOUT_MS + 5_000,
  payload: Joi.object<Payload>({
    url: outboundUrl.required(),
    method: Joi.valid(...METHODS),
    headers: Joi.any()
      .custom(checkHeaders)
      .meta({ jsonSchema: { type: 'object' } }),
    payload: Joi.object()
      .required()
      .description('The body. A GET sends none, and may leave it out.')
      // biome-ignore lint/suspicious/noThenProperty: required by Joi's API
      .when('method', { is: 'GET', then: Joi.optional() }),
  }),
  result: resultFields({ status: Joi.number(), body: Joi.any() }).keys({ truncated: Joi.valid(true) }),
  about: ({ url }) => ({ url: hostOf(url) }),
  async precheck({ headers = {} }, { ports, orgId }) {
    const names = namesIn(headers);
    const [unknown] = names.length === 0 ? [] : await ports.compose.unknownSecrets(orgId, names);
    if (unknown === undefined) return null;
    const details = [{ path: HEADERS_PATH, message: `"${HEADERS_PATH}" names an unknown secret: ${unknown}` }];
    return { code: 'validation_failed', details };
  },
  async run({ url, method = 'POST', headers = {}, payload }, { ports, orgId, idempotencyKey, signal, log }) {
    const names = namesIn(headers);
    const values = names.length === 0 ? NO_SECRETS : await openSecrets(ports.secrets, orgId, names, url);
    const hideSecrets = createHideSecrets([...values.values()]);
    const body = method === 'GET' ? '' : JSON.stringify(payload);
    const secrets = await ports.webhookSecrets.active(orgId);
    const timestampS = Math.floor(Date.now() / 1000);
    log('info', `${method} ${withoutQuery(url)}`);

    const startedAt = performance.now();
    const answer = await ports.outbound.request({
      orgId,
      url,
      method,
      headers: {
        ...(body !== '' && { 'content-type': 'application/json' }),
        'user-agent': USER_AGENT,
        ...written(headers, values),
        ...standardWebhookHeaders(secrets, { id: idempotencyKey, timestampS, body }),
      },
      ...(body !== '' && { body }),
      timeoutMs: ANSWER_TIMEOUT_MS,
      maxBytes: ANSWER_BYTES + hideSecrets.longestBytes,
      signal,
    });

    const took = `answered ${answer.status} in ${Math.round(performance.now() - startedAt)} ms`;
    const { text, shown } = await readAnswerBody(answer, hideSecrets);
    if (answer.status < 200 || answer.status > 299) {
      log('warn', `${took}: ${text.slice(0, EXCERPT_LENGTH).toWellFormed() || '(empty)'}`);
      throw deliveryFailure(answer);
    }
    log('info', took);
    return { status: answer.status, ...shown } satisfies WebhookResult;
  },
});

type Headers = NonNullable<Payload['headers']>;

const HEADERS_PATH = 'payload.headers';
const NO_SECRETS: ReadonlyMap<string, string> = new Map();

/** The names of the secrets in these headers. */
function namesIn(headers: Headers): string[] {
  return Object.values(headers).flatMap((value) => (typeof value === 'string' ? [] : value.$secret));
}

/** Name → value. Throws PermanentError unless each of these secrets exists and may be sent to this URL. */
async function openSecrets(
  secrets: Secrets,
  orgId: OrgId,
  names: readonly string[],
  url: string,
): Promise<ReadonlyMap<string, string>> {
  const { hostname, protocol } = new URL(url);
  const found = await secrets.open(orgId, names);
  for (const name of names) {
    const secret = found.find((one) => one.name === name);
    if (!secret) throw unusable(`the secret ${name} does not exist any more`);
    if (!secret.hosts.includes(hostname)) throw unusable(`the secret ${name} may not be sent to ${hostname}`);
  }
  const length = found.reduce((sum, { value }) => sum + value.length, 0);
  if (length > SECRET_LIMITS.sentLength)
    throw unusable(`its secrets have more than ${SECRET_LIMITS.sentLength} characters together`);
  if (protocol !== 'https:' && !secrets.mayTravelPlain(url)) throw unusable('secrets are sent over https only');
  return new Map(found.map(({ name, value }) => [name, value]));
}

function unusable(reason: string): PermanentError {
  return new PermanentError(`"${HEADERS_PATH}": ${reason}`, { code: 'invalid_payload' });
}

/** The headers of the request, with lower-case names and the values of secrets. */
function written(headers: Headers, values: ReadonlyMap<string, string>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    typeof value === 'string' ? value : (values.get(value.$secret) ?? ''),
  ]);
  return Object.fromEntries(entries);
}

const MAX_HEADERS = 20;
const MAX_NAME_LENGTH = 128;
const MAX_VALUE_LENGTH = 4_096;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;
/** The headers of a connection (RFC 9110, 7.6.1), of the framing of the message, and those with which we sign. */
const OWN_HEADERS =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|expect|webhook-.*)$/i;

/** One check of the whole, because Joi would copy an object of any size first. */
function checkHeaders(headers: unknown, { message }: CustomHelpers) {
  const issue = headersIssue(headers);
  return issue === null ? headers : message({ custom: `{{#label}} ${issue}` });
}

function headersIssue(headers: unknown): string | null {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return 'must be an object';
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return `must have at most ${MAX_HEADERS} headers`;
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  if (names.size < entries.length) return 'has a header twice, because upper and lower case are the same';
  for (const [name, value] of entries) {
    if (name.length > MAX_NAME_LENGTH || !NAME.test(name)) return 'has a name that is not the name of a header';
    if (OWN_HEADERS.test(name)) return `must not contain "${name}", which is set for each request`;
    if (!isText(value) && !isSecretName(value)) {
      return `has an invalid value for "${name}": write a text of at most ${MAX_VALUE_LENGTH} characters that a header can carry, or {"$secret": "name"}`;
    }
  }
  return null;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_VALUE_LENGTH && VALUE.test(value);
}

function isSecretName(value: unknown): value is SecretName {
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== '$secret') return false;
  const { $secret: name } = value as { $secret: unknown }; // it has this key
  return typeof name === 'string' && LIMIT_NAME_PATTERN.test(name);
}

function deliveryFailure(answer: OutboundResponse): HandlerError {
  const failure = responseFailure(answer, 'the receiver');
  const isRedirect = answer.status >= 300 && answer.status < 400;
  return isRedirect ? new HandlerError(failure.code, `${failure.message}, and redirects are not followed`) : failure;
}
