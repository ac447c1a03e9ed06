import { randomBytes } from 'node:crypto';
import { operatorOf } from '@jobline/runtime';
import type { Config } from '../config.js';
import { CLIENT_LIMITS, type ClientLimits } from '../http/server.js';
import type { LimitSettings } from '../rate-limits/limits.js';
import type { AppSettings } from '../settings.js';

export function appSettings(config: Config): AppSettings {
  return {
    jwtSecret: config.JWT_SECRET ?? randomBytes(32).toString('base64'),
    jwtTtlMs: config.JWT_TTL,
    passwordCost: config.BCRYPT_COST,
    maxBodyBytes: config.MAX_BODY_BYTES,
    registration: config.REGISTRATION,
    senderIds: config.SENDER_IDS,
    allowedTypes: config.ALLOWED_TYPES,
    retentionDays: config.RETENTION_DAYS,
    trustProxy: config.TRUST_PROXY,
    corsOrigins: config.CORS_ORIGINS,
    callbacks: config,
    publicUrl: config.PUBLIC_URL,
    operator: operatorOf(config),
  };
}

export function limitSettings(config: Config): LimitSettings {
  return {
    submitPerS: config.RATE_LIMIT_SUBMIT_PER_S,
    submitBytesPerS: config.RATE_LIMIT_SUBMIT_BYTES_PER_S,
    sendPerMin: config.RATE_LIMIT_SEND_PER_MIN,
    controlPerMin: config.RATE_LIMIT_CONTROL_PER_MIN,
    readPerMin: config.RATE_LIMIT_READ_PER_MIN,
    loginPerMin: config.RATE_LIMIT_LOGIN_PER_MIN,
    credentialsPerMin: config.RATE_LIMIT_CREDENTIALS_PER_MIN,
    maxStoredBytes: config.MAX_STORED_BYTES_PER_ORG,
  };
}

/** Behind a proxy all connections come from the proxy's address, so the limit per address does not apply there. */
export function clientLimits({ CONNECTIONS_PER_ADDRESS, TRUST_PROXY }: Config): ClientLimits {
  const { connections, connectionsPerAddress } = CLIENT_LIMITS;
  const usual = TRUST_PROXY === false ? connectionsPerAddress : connections;
  return { ...CLIENT_LIMITS, connectionsPerAddress: CONNECTIONS_PER_ADDRESS ?? usual };
}
