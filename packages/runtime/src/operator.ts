import { hash, timingSafeEqual } from 'node:crypto';

/** Whoever runs the service, as its configuration names them. */
export interface OperatorCredentials {
  user: string;
  password: string;
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** Whether an `Authorization` header has the operator's name and password, by HTTP Basic; in constant time. */
export function isOperator({ user, password }: OperatorCredentials, authorization: string | undefined): boolean {
  const given = BASIC.exec(authorization ?? '')?.[1];
  if (given === undefined) return false;
  return timingSafeEqual(digest(Buffer.from(given, 'base64')), digest(`${user}:${password}`));
}

/** Digests are of one length, as a comparison in constant time wants. */
function digest(credentials: string | Buffer): Buffer {
  return hash('sha256', credentials, 'buffer');
}
