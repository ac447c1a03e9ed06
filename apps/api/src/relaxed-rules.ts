import {
  encryptionWarnings,
  isProduction,
  MIN_OPERATOR_PASSWORD_BYTES,
  openPortWarnings,
  weakSecretWarnings,
} from '@jobline/runtime';
import { PRODUCTION_COST } from './auth/password.js';
import { type Config, MIN_CALLBACK_SECRET_BYTES, MIN_SECRET_BYTES } from './config.js';

const CALLBACK_SECRETS = [
  'CHAT_WEBHOOK_SECRET',
  'SMS_WEBHOOK_SECRET',
  'SMS_WEBHOOK_SECRET_PREVIOUS',
  'PAYMENTS_WEBHOOK_SECRET',
  'PAYMENTS_WEBHOOK_SECRET_PREVIOUS',
] as const;

/** Warnings about insecure settings, for the log at the start. Empty if every setting is strict. */
export function relaxedRules(config: Config): string[] {
  return [
    ...(config.REGISTRATION === 'open'
      ? [
          'REGISTRATION is open: everyone who can reach this service can register an organization; set it to first or closed',
        ]
      : []),
    ...(config.JWT_SECRET === undefined
      ? ['JWT_SECRET is not set: sessions end when this process ends, and no other API process accepts them']
      : []),
    ...weakSecretWarnings([
      { name: 'JWT_SECRET', secret: config.JWT_SECRET, minBytes: MIN_SECRET_BYTES },
      { name: 'OPERATOR_PASSWORD', secret: config.OPERATOR_PASSWORD, minBytes: MIN_OPERATOR_PASSWORD_BYTES },
      ...CALLBACK_SECRETS.map((name) => ({ name, secret: config[name], minBytes: MIN_CALLBACK_SECRET_BYTES })),
    ]),
    ...(config.BCRYPT_COST < PRODUCTION_COST
      ? [
          `BCRYPT_COST is ${config.BCRYPT_COST}: stolen password hashes are easy to guess; set it to ${PRODUCTION_COST} or more`,
        ]
      : []),
    ...(isPlainHttp(config)
      ? [
          'PUBLIC_URL is http: passwords and keys cross the network unencrypted; terminate TLS in front of the API and set https',
        ]
      : []),
    ...(isProduction(config.NODE_ENV)
      ? productionRules(config)
      : openPortWarnings({ name: 'HOST', host: config.HOST })),
  ];
}

/** Warnings about settings that are usual in development. */
function productionRules(config: Config): string[] {
  return [
    ...encryptionWarnings(config.ENCRYPTION_KEY),
    ...(config.EMAIL_SANDBOX_DIR === undefined
      ? []
      : [
          'EMAIL_SANDBOX_DIR is set: emails with password reset links are stored there as files; unset it in production',
        ]),
  ];
}

/** In development, a URL of the developer's own machine needs no TLS. */
function isPlainHttp({ NODE_ENV, PUBLIC_URL }: Config): boolean {
  const { protocol, hostname } = new URL(PUBLIC_URL);
  const isOwnMachine = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return protocol === 'http:' && (isProduction(NODE_ENV) || !isOwnMachine);
}
