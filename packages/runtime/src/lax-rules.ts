import { secretWeakness } from './strong-secret.js';

/** A secret of the configuration, and how long it has to be in production. */
export interface SecretSetting {
  name: string;
  secret: string | undefined;
  minBytes: number;
}

/** A warning for each secret that is given and would be refused in production. */
export function weakSecretWarnings(settings: readonly SecretSetting[]): string[] {
  return settings.flatMap(({ name, secret, minBytes }) => {
    const weakness = secret === undefined ? null : secretWeakness(secret, minBytes);
    return weakness === null
      ? []
      : [`${name} ${weakness}: it is accepted only because NODE_ENV is development or test; production refuses it`];
  });
}

const ALL_ADDRESSES = ['0.0.0.0', '::', '[::]'];

/** A warning if a port is open to other machines, which in development is rarely meant. */
export function openPortWarnings(setting: { name: string; host: string }): string[] {
  if (!ALL_ADDRESSES.includes(setting.host)) return [];
  return [
    `${setting.name} is ${setting.host}, so other machines reach a process whose NODE_ENV is development or test: set it to 127.0.0.1`,
  ];
}

/** A warning where nothing encrypts the secrets that sign webhooks. */
export function encryptionWarnings(keys: readonly string[]): string[] {
  if (keys.length > 0) return [];
  return [
    'ENCRYPTION_KEY is not set: the secrets that sign webhooks are in clear in the database and its backups; ' +
      'take a key from openssl rand -base64 33, the same for the API and the workers',
  ];
}
