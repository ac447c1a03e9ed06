import { secretWeakness } from './strong-secret.js';

/** A secret of the configuration, and its minimum length in production. */
export interface SecretSetting {
  name: string;
  secret: string | undefined;
  minBytes: number;
}

/** One warning for each secret that production would reject. */
export function weakSecretWarnings(settings: readonly SecretSetting[]): string[] {
  return settings.flatMap(({ name, secret, minBytes }) => {
    const weakness = secret === undefined ? null : secretWeakness(secret, minBytes);
    return weakness === null
      ? []
      : [`${name} ${weakness}: it is accepted only because NODE_ENV is development or test; production rejects it`];
  });
}

const ALL_ADDRESSES = ['0.0.0.0', '::', '[::]'];

/** A warning if other machines can reach the port, which is rarely intended in development. */
export function openPortWarnings(setting: { name: string; host: string }): string[] {
  if (!ALL_ADDRESSES.includes(setting.host)) return [];
  return [
    `${setting.name} is ${setting.host}, so other machines can reach a process whose NODE_ENV is development or test: set it to 127.0.0.1`,
  ];
}

/** A warning if the secrets that sign webhooks are not encrypted. */
export function encryptionWarnings(keys: readonly string[]): string[] {
  if (keys.length > 0) return [];
  return [
    'ENCRYPTION_KEY is not set: the secrets that sign webhooks are stored unencrypted in the database and its backups; ' +
      'generate a key with openssl rand -base64 33 and use the same one for the API and the workers',
  ];
}
