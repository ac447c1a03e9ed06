import { randomBytes } from 'node:crypto';
import type { OrgId, UserId } from '@jobline/contracts';
import { createDb, registerOrganization } from '@jobline/db';
import {
  ConfigError,
  createSecretCipher,
  encryptionKeysSetting,
  newId,
  nodeEnvSetting,
  readConfig,
} from '@jobline/runtime';
import Joi from 'joi';
import { createPasswords, passwordCostSetting } from './auth/password.js';
import { newWebhookSecret } from './auth/secrets.js';
import { email, name } from './http/fields.js';

/**
 * A program that creates an organization and the account of its owner, so that registration can be closed from the start.
 * It generates the password and prints it once; the owner should change it after the first login.
 */
const USAGE = 'usage: node apps/api/dist/create-owner-main.js <name of the organization> <email of its owner>';
const PASSWORD_BYTES = 18;

interface Config {
  NODE_ENV: string;
  DATABASE_URL: string;
  BCRYPT_COST: number;
  ENCRYPTION_KEY: readonly string[];
}

const configSchema = Joi.object<Config>({
  NODE_ENV: nodeEnvSetting,
  DATABASE_URL: Joi.string()
    .uri({ scheme: ['postgres', 'postgresql'] })
    .required(),
  BCRYPT_COST: passwordCostSetting,
  ENCRYPTION_KEY: encryptionKeysSetting,
});

interface Owner {
  organization: string;
  email: string;
}

const ownerSchema = Joi.object<Owner, true>({ organization: name().required(), email: email().required() });

try {
  const config = readConfig(configSchema, process.env);
  const [organization, address, ...more] = process.argv.slice(2);
  const { value: owner, error } = ownerSchema.validate({ organization, email: address });
  if (error || more.length > 0) throw new ConfigError([error?.message ?? 'too many arguments', USAGE]);
  await createOwner(config, owner);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}

async function createOwner(config: Config, owner: Owner): Promise<void> {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const passwordHash = await createPasswords({ cost: config.BCRYPT_COST }).hash(password, null);
  const db = createDb({ url: config.DATABASE_URL, poolSize: 1, onIdleError: (error) => console.error(error) });
  try {
    // Both casts: the ids are generated here.
    const org = { id: newId() as OrgId, name: owner.organization };
    const user = { id: newId() as UserId, email: owner.email, passwordHash };
    const origin = { actorId: null, ip: null, requestId: null };
    const registration = { org, user, session: null, webhookSecret: newWebhookSecret(), origin };
    const outcome = await registerOrganization(db, registration, {
      onlyFirst: false,
      cipher: createSecretCipher(config.ENCRYPTION_KEY),
    });
    if (outcome !== 'registered') throw new ConfigError([`${owner.email} already has an account`]);
    console.log(`The organization ${JSON.stringify(org.name)} has the owner ${user.email}.`);
    console.log(`The password, which is shown only once: ${password}`);
  } finally {
    await db.$disconnect();
  }
}
