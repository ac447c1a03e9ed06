import {
  encryptionWarnings,
  isProduction,
  MIN_OPERATOR_PASSWORD_BYTES,
  openPortWarnings,
  weakSecretWarnings,
} from '@jobline/runtime';
import { type Config, MIN_CALLBACK_SECRET_BYTES } from './config.js';

/** What the worker accepts and should not have to, in a sentence each, for the log at its start. Empty if all is strict. */
export function laxRules(config: Config): string[] {
  const isListening = config.WORKER_PORT !== undefined;
  return [
    ...weakSecretWarnings([
      { name: 'OPERATOR_PASSWORD', secret: config.OPERATOR_PASSWORD, minBytes: MIN_OPERATOR_PASSWORD_BYTES },
      { name: 'PAYMENTS_WEBHOOK_SECRET', secret: config.PAYMENTS_WEBHOOK_SECRET, minBytes: MIN_CALLBACK_SECRET_BYTES },
    ]),
    ...(config.CHROMIUM_SANDBOX === 'off' && config.WORKER_QUEUES.has('browser')
      ? [
          "CHROMIUM_SANDBOX is off: a vulnerability of the browser, which reads tenants' documents, is one of this worker; " +
            'run it as another user than root and leave CHROMIUM_SANDBOX out',
        ]
      : []),
    ...(isProduction(config.NODE_ENV) ? encryptionWarnings(config.ENCRYPTION_KEY) : []),
    ...(isListening && !isProduction(config.NODE_ENV)
      ? openPortWarnings({ name: 'WORKER_HOST', host: config.WORKER_HOST })
      : []),
  ];
}
