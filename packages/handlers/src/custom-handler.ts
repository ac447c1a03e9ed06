import { LIMITS, NAME_PATTERN } from '@jobline/contracts';
import Joi from 'joi';
import {
  defineHandler,
  EVENTS_QUEUE,
  type Handler,
  type HandlerDefaults,
  type HandlerDefinition,
  QUEUE_PATTERN,
} from './define-handler.js';

const MAX_TIMEOUT_MS = 24 * 3_600_000;
const MAX_BACKOFF_MS = 24 * 3_600_000;

const timeoutMs = Joi.number().integer().min(1).max(MAX_TIMEOUT_MS);
const maxRetries = Joi.number().integer().min(0).max(LIMITS.maxRetries);
const backoffMs = Joi.number().integer().min(1).max(MAX_BACKOFF_MS).required();

const defaults = Joi.object<HandlerDefaults>({
  max_retries: maxRetries,
  timeout_ms: timeoutMs,
  backoff: Joi.object({ base_ms: backoffMs, max_ms: backoffMs.min(Joi.ref('base_ms')) }),
});

const definition = Joi.object<HandlerDefinition<object>>({
  type: Joi.string()
    .pattern(NAME_PATTERN)
    .required()
    .messages({ 'string.pattern.base': '{{#label}} must be 1 to 128 of A-Z a-z 0-9 . _ : -' }),
  summary: Joi.string(),
  queue: Joi.string()
    .pattern(QUEUE_PATTERN)
    .invalid(EVENTS_QUEUE)
    .messages({
      'string.pattern.base':
        '{{#label}} must be 1 to 32 lower-case letters, digits and hyphens, and must begin with a letter',
      'any.invalid': `{{#label}} must not be "${EVENTS_QUEUE}": this queue is reserved for deliveries of events`,
    }),
  timeoutMs: timeoutMs.label('timeout_ms'),
  schema: Joi.any().custom(requireSchema),
  payload: Joi.any().custom(requireSchema),
  defaults,
  // What defineHandler has made of the defaults, which has other names. Messages have those that the author wrote.
  maxRetries: maxRetries.label('max_retries'),
  backoff: Joi.object({
    baseMs: backoffMs.label('backoff.base_ms'),
    maxMs: backoffMs.min(Joi.ref('baseMs')).label('backoff.max_ms'),
  }),
  sources: Joi.function(),
  setup: Joi.function(),
  close: Joi.function(),
  run: Joi.function().required(),
})
  .nand('schema', 'payload')
  .nand('timeoutMs', 'defaults.timeout_ms')
  .required()
  .label('its export');

/**
 * Reads the handler that the module of an operator exports: as its default export, as its only export, or as the module
 * itself, with exports such as `type` and `run`. Returns all issues if it is invalid.
 */
export function readHandler(module: Readonly<Record<string, unknown>>): { handler: Handler } | { issues: string[] } {
  const { value, error } = definition.validate(exported(module), { abortEarly: false, convert: false });
  if (!error) return { handler: defineHandler(value) };
  return { issues: error.details.map(({ message }) => message) };
}

function exported(module: Readonly<Record<string, unknown>>): unknown {
  if ('default' in module) return module.default;
  const [only, ...others] = Object.values(module);
  const isModuleItself = 'run' in module || 'type' in module || others.length > 0;
  return isModuleItself ? { ...module } : only;
}

function requireSchema(value: unknown, { message }: Joi.CustomHelpers): unknown {
  const isObject = typeof value === 'object' || typeof value === 'function';
  if (Joi.isSchema(value, { legacy: true }) || (isObject && value !== null && '~standard' in value)) return value;
  return message({ custom: '{{#label}} must be a Joi schema or follow Standard Schema' });
}
