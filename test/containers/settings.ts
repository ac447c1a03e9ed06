import { randomBytes } from 'node:crypto';
import type { FakeProviders } from './fake-providers.js';

const SECRETS = [
  ...['POSTGRES_PASSWORD', 'POSTGRES_APP_PASSWORD', 'REDIS_PASSWORD'],
  ...['JWT_SECRET', 'ENCRYPTION_KEY', 'PAYMENTS_WEBHOOK_SECRET'],
];
const LIMITS = ['SUBMIT_PER_S', 'READ_PER_MIN', 'CONTROL_PER_MIN', 'SEND_PER_MIN'];
const NO_LIMIT = '1000000';

/** What an operator writes into `docker/.env`, for these providers and without rate limits. */
export function operatorSettings(providers: FakeProviders): Record<string, string> {
  return {
    SITE_ADDRESS: ':80',
    REGISTRATION: 'open',
    ...Object.fromEntries(LIMITS.map((name) => [`RATE_LIMIT_${name}`, NO_LIMIT])),
    ...providers.settings,
    ...Object.fromEntries(SECRETS.map((name) => [name, randomBytes(32).toString('hex')])),
  };
}
