import { hash, timingSafeEqual } from 'node:crypto';
import Joi, { type ObjectSchema } from 'joi';
import { inProduction } from './config.js';
import { createRecent } from './recent.js';
import { strongSecret } from './strong-secret.js';

/** Whoever runs the service, as its configuration names them. */
export interface OperatorCredentials {
  user: string;
  password: string;
}

/** Both or neither: who may see what is for operators alone. */
export interface OperatorSettings {
  OPERATOR_USER?: string;
  OPERATOR_PASSWORD?: string;
}

export const MIN_OPERATOR_PASSWORD_BYTES = 12;

/** To be joined to an app's own (`concat`), which has `NODE_ENV` among its keys. */
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

/** How many wrong credentials of an address are answered as such; further ones are refused as too many for so long. */
export const GUESSES = { limit: 10, keptMs: 60_000 } as const;
const MAX_ADDRESSES = 10_000;

/** What is for operators alone is behind it. */
export interface OperatorDoor {
  /**
   * `open` to the operator's credentials, by HTTP Basic; else `shut`, or `locked` after too many wrong ones from the address.
   * The right ones are never locked out: behind a proxy, all callers may seem to have one address.
   */
  knock(authorization: string | undefined, address: string): 'open' | 'shut' | 'locked';
}

export function createOperatorDoor(operator: OperatorCredentials): OperatorDoor {
  const guesses = createRecent<number>({ ttlMs: GUESSES.keptMs, maxEntries: MAX_ADDRESSES });
  return {
    knock(authorization, address) {
      if (isOperator(operator, authorization)) return 'open';
      const guessed = guesses.get(address) ?? 0;
      if (guessed >= GUESSES.limit) return 'locked';
      // A browser asks without credentials first: only wrong ones count.
      if (/^Basic /i.test(authorization ?? '')) guesses.set(address, guessed + 1);
      return 'shut';
    },
  };
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** Whether an `Authorization` header has the operator's name and password, by HTTP Basic; in constant time. */
function isOperator({ user, password }: OperatorCredentials, authorization: string | undefined): boolean {
  const given = BASIC.exec(authorization ?? '')?.[1];
  if (given === undefined) return false;
  return timingSafeEqual(digest(Buffer.from(given, 'base64')), digest(`${user}:${password}`));
}

/** Digests are of one length, as a comparison in constant time wants. */
function digest(credentials: string | Buffer): Buffer {
  return hash('sha256', credentials, 'buffer');
}
