import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import Joi, { type CustomHelpers, type ErrorReport } from 'joi';
import { secretWeakness } from './strong-secret.js';

/** Encrypts secrets that must be stored in a readable form, because they sign data. */
export interface SecretCipher {
  /**
   * The text encrypted under the first key, or unchanged if there is no key. It can be opened only with the same
   * context, so that a secret cannot be moved to another owner's row.
   */
  seal(text: string, context: string): string;
  /** The original text. A text that was never sealed is returned unchanged. Throws if its key is not among the keys. */
  open(stored: string, context: string): string;
  /** The beginning of every text sealed under the current key; null: there is no key. */
  readonly currentPrefix: string | null;
  /** Whether texts sealed under this key can be opened. */
  knows(keyId: string): boolean;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 6;
/** `sealed:v1:<key's id>:<base64url of IV, tag and ciphertext>` */
export const SEALED_PREFIX = 'sealed:v1:';
const SEALED = /^sealed:v1:([0-9a-f]+):([\w-]+)$/;

const MIN_KEY_BYTES = 32;
/** Several keys are needed only while keys are exchanged. */
const MAX_KEYS = 8;

/** The keys, separated by commas: the first encrypts, all of them decrypt. */
export const encryptionKeysSetting = Joi.string()
  .custom(parseKeys)
  .default(() => []);

export function createSecretCipher(secrets: readonly string[]): SecretCipher {
  const keys = new Map(secrets.map((secret) => [derive(secret, 'id', KEY_ID_BYTES).toString('hex'), keyOf(secret)]));
  const [current] = keys;
  return {
    currentPrefix: current ? prefixOf(current[0]) : null,
    knows: (keyId) => keys.has(keyId),
    seal: (text, context) => (current ? prefixOf(current[0]) + encrypt(current[1], text, context) : text),
    open(stored, context) {
      if (!stored.startsWith(SEALED_PREFIX)) return stored;
      const [, id = '', data = ''] = SEALED.exec(stored) ?? [];
      const key = keys.get(id);
      if (!key)
        throw new Error('a secret is encrypted under a key that this process does not have: check ENCRYPTION_KEY');
      return decrypt(key, data, context);
    },
  };
}

function prefixOf(keyId: string): string {
  return `${SEALED_PREFIX}${keyId}:`;
}

function encrypt(key: Buffer, text: string, context: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

function decrypt(key: Buffer, data: string, context: string): string {
  const bytes = Buffer.from(data, 'base64url');
  const cipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([cipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), cipher.final()]).toString('utf8');
}

function keyOf(secret: string): Buffer {
  return derive(secret, 'key', KEY_BYTES);
}

/** The secrets are random and long, so no slow derivation is needed. */
function derive(secret: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `jobline secrets v1 ${purpose}`, bytes));
}

function parseKeys(text: string, { message }: CustomHelpers): readonly string[] | ErrorReport {
  const keys = text.split(',').map((key) => key.trim());
  if (keys.length > MAX_KEYS) return message({ custom: `{{#label}} has more than ${MAX_KEYS} keys` });
  const weakness = keys.map((key) => secretWeakness(key, MIN_KEY_BYTES)).find((found) => found !== null);
  if (weakness === undefined) return keys;
  return message({ custom: `{{#label}} has a key that ${weakness}; generate each with: openssl rand -base64 33` });
}
