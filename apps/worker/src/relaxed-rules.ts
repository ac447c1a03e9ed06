import {
  encryptionWarnings,
  isProduction,
  MIN_OPERATOR_PASSWORD_BYTES,
  openPortWarnings,
  weakSecretWarnings,
} from '@jobline/runtime';
import { type Config, MIN_CALLBACK_SECRET_BYTES } from './config.js';

/**
 * Returns a warning for each insecure setting that this worker accepts, for the log at its start. Empty if all
 * settings are strict.
 */
export function relaxedRules(config: Config): string[] {
  const isListening = config.WORKER_PORT !== undefined;
  return [
    ...weakSecretWarnings([
      { name: 'OPERATOR_PASSWORD', secret: config.OPERATOR_PASSWORD, minBytes: MIN_OPERATOR_PASSWORD_BYTES },
      { name: 'PAYMENTS_WEBHOOK_SECRET', secret: config.PAYMENTS_WEBHOOK_SECRET, minBytes: MIN_CALLBACK_SECRET_BYTES },
    ]),
    ...(config.CHROMIUM_SANDBOX === 'off' && config.WORKER_QUEUES.has('browser')
      ? [
          'CHROMIUM_SANDBOX is off: a vulnerability of the browser, which reads documents of tenants, would affect ' +
            'this worker; run the worker as a user other than root and remove CHROMIUM_SANDBOX',
        ]
      : []),
    ...(isProduction(config.NODE_ENV) ? encryptionWarnings(config.ENCRYPTION_KEY) : []),
    ...(isListening && !isProduction(config.NODE_ENV)
      ? openPortWarnings({ name: 'WORKER_HOST', host: config.WORKER_HOST })
      : []),
  ];
}
