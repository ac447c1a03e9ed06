import type { ArtifactStore } from '@jobline/handlers/ports';
import Joi from 'joi';
import { defineProvider } from '../define-provider.js';
import { baseUrlSetting, secretSetting } from '../settings.js';
import type { BucketSettings } from './bucket.js';

/**
 * In a bucket of Amazon S3 or of what speaks its protocol. Without keys of its own it finds them as all of Amazon's
 * libraries do: in the environment, or by the machine's role.
 */
export const s3 = defineProvider<BucketSettings, ArtifactStore | null>({
  name: 's3',
  settings: Joi.object({
    ARTIFACTS_S3_BUCKET: Joi.string().trim().required(),
    ARTIFACTS_S3_REGION: Joi.string().trim().default('us-east-1'),
    ARTIFACTS_S3_ENDPOINT: baseUrlSetting,
    ARTIFACTS_S3_PREFIX: Joi.string()
      .pattern(/^[\w./-]{1,200}$/)
      .default('jobline/'),
    ARTIFACTS_S3_ACCESS_KEY_ID: secretSetting,
    ARTIFACTS_S3_SECRET_ACCESS_KEY: secretSetting,
  })
    .and('ARTIFACTS_S3_ACCESS_KEY_ID', 'ARTIFACTS_S3_SECRET_ACCESS_KEY')
    .messages({
      'object.and': 'ARTIFACTS_S3_ACCESS_KEY_ID and ARTIFACTS_S3_SECRET_ACCESS_KEY are given both or neither',
    }),
  create(settings) {
    let opened: Promise<ArtifactStore> | undefined;
    // Amazon's library is loaded by those alone who use it.
    const open = () => {
      opened ??= import('./bucket.js').then(({ openBucket }) => openBucket(settings));
      return opened;
    };
    return {
      put: async (key, file, signal) => (await open()).put(key, file, signal),
      read: async (key) => (await open()).read(key),
      deleteUnder: async (prefix) => (await open()).deleteUnder(prefix),
      close: () => void opened?.then((bucket) => bucket.close()),
    };
  },
});
