import { hash, timingSafeEqual } from 'node:crypto';
import Joi, { type ObjectSchema } from 'joi';
import { inProduction } from './config.js';
import { createRecent } from './recent.js';
import { strongSecret } from './strong-secret.js';

/** The credentials of the operator, from the configuration. */
export interface OperatorCredentials {
  user: string;
  password: string;
}

/** Credentials for the pages and endpoints of the operator: both are given, or neither. */
export interface OperatorSettings {
  OPERATOR_USER?: string;
  OPERATOR_PASSWORD?: string;
}

export const MIN_OPERATOR_PASSWORD_BYTES = 12;

/** Join it to an app's own schema with `concat`; that schema must have `NODE_ENV` among its keys. */
export const operatorSchema: ObjectSchema = Joi.object<OperatorSettings>({
  OPERATOR_USER: Joi.string()
    .max(64)
    .regex(/^[^:\p{Cc}]+$/u),
  OPERATOR_PASSWORD: inProduction(Joi.string().max(256), {
    production: (password) => password.concat(strongSecret({ minBytes: MIN_OPERATOR_PASSWORD_BYTES })),
    otherwise: (password) => password,
  }),
})
  .with('OPERATOR_USER', 'OPERATOR_PASSWORD')
  .with('OPERATOR_PASSWORD', 'OPERATOR_USER')
  .messages({ 'object.with': '{{#peerWithLabel}} must be given with {{#mainWithLabel}}' });

export function operatorOf(settings: OperatorSettings): OperatorCredentials | undefined {
  const { OPERATOR_USER: user, OPERATOR_PASSWORD: password } = settings;
  return user === undefined || password === undefined ? undefined : { user, password };
}

/**
 * How many wrong credentials of an address get a normal response; after that, requests are refused until `keptMs` have
 * passed.
 */
export const GUESSES = { limit: 10, keptMs: 60_000 } as const;
const MAX_ADDRESSES = 10_000;

/** Authenticates requests for the pages and endpoints of the operator. */
export interface OperatorAuth {
  /**
   * `granted` for the operator's credentials, by HTTP Basic; else `denied`, or `locked` after too many wrong ones from
   * the address. Right credentials are never locked out: behind a proxy, all callers may seem to have one address.
   */
  verify(authorization: string | undefined, address: string): 'granted' | 'denied' | 'locked';
}

export function createOperatorAuth(operator: OperatorCredentials): OperatorAuth {
  const guesses = createRecent<number>({ ttlMs: GUESSES.keptMs, maxEntries: MAX_ADDRESSES });
  return {
    verify(authorization, address) {
      if (isOperator(operator, authorization)) return 'granted';
      const guessed = guesses.get(address) ?? 0;
      if (guessed >= GUESSES.limit) return 'locked';
      // A browser sends its first request without credentials: only wrong ones count.
      if (/^Basic /i.test(authorization ?? '')) guesses.set(address, guessed + 1);
      return 'denied';
    },
  };
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** Whether an `Authorization` header has the operator's name and password, by HTTP Basic. Compares in constant time. */
function isOperator({ user, password }: OperatorCredentials, authorization: string | undefined): boolean {
  const given = BASIC.exec(authorization ?? '')?.[1];
  if (given === undefined) return false;
  return timingSafeEqual(digest(Buffer.from(given, 'base64')), digest(`${user}:${password}`));
}

/** Digests have equal length, which a comparison in constant time requires. */
function digest(credentials: string | Buffer): Buffer {
  return hash('sha256', credentials, 'buffer');
}
