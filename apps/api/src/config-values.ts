import { isIP } from 'node:net';
import { redisUrlProblem } from '@jobline/engine';
import { parseUrl } from '@jobline/handlers';
import { addressSetting, splitAddress } from '@jobline/providers';
import { inProduction } from '@jobline/runtime';
import Joi, { type CustomHelpers, type ErrorReport } from 'joi';

/**
 * Required in production with a real email provider, and different from the default sender of organizations: otherwise any of
 * them could imitate the service's own emails, with its own link, from the same address.
 */
export function systemSender(): Joi.Schema {
  return inProduction(addressSetting, {
    production: (sender) =>
      Joi.when('EMAIL_PROVIDER', {
        // A schema instead of a value, because an unset variable, whose default this is, would not match a value.
        is: Joi.valid('sandbox'),
        // biome-ignore lint/suspicious/noThenProperty: the name of Joi's option
        then: sender,
        otherwise: addressSetting.custom(differsFromDefault).required().messages({
          'any.required':
            '{{#label}} is required: the sender of password resets and invites, different from EMAIL_DEFAULT_FROM',
        }),
      }),
    otherwise: (sender) => sender,
  });
}

function differsFromDefault(sender: string, { message, state }: CustomHelpers): string | ErrorReport {
  const others: unknown = state.ancestors[0]?.EMAIL_DEFAULT_FROM;
  const isSame = typeof others === 'string' && addressOf(others) === addressOf(sender);
  if (!isSame) return sender;
  return message({
    custom: '{{#label}} must differ from EMAIL_DEFAULT_FROM, which every organization may send from',
  });
}

function addressOf(sender: string): string {
  return splitAddress(sender).address.toLowerCase();
}

export function parseRedis(text: string, { message }: CustomHelpers): string | ErrorReport {
  const problem = redisUrlProblem(text);
  return problem === null ? text : message({ custom: `{{#label}} ${problem}` });
}

/** `off`, a number of proxies (`on`: one), or the addresses and networks of the trusted proxies. */
export function parseProxies(
  text: string,
  { message }: CustomHelpers,
): false | number | readonly string[] | ErrorReport {
  if (['off', 'false', '0'].includes(text)) return false;
  if (['on', 'true'].includes(text)) return 1;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const proxies = text.split(',').map((proxy) => proxy.trim());
  if (proxies.every(isNetwork)) return proxies;
  return message({ custom: '{{#label}} must be off, a number of proxies, or their comma-separated addresses' });
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits] = text.split('/');
  const version = isIP(address);
  if (version === 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Origins in the notation of browsers: `https://app.example.com`, `http://localhost:5173`. */
export function parseOrigins(text: string, { message }: CustomHelpers): readonly string[] | ErrorReport {
  const origins = text.split(',').map((origin) => origin.trim());
  if (origins.every(isOrigin)) return origins;
  return message({
    custom: '{{#label}} must be comma-separated origins such as https://app.example.com, without a path and without *',
  });
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && parseUrl(text)?.origin === text;
}
