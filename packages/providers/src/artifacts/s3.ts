import type { ArtifactStore } from '@jobline/handlers/ports';
import Joi from 'joi';
import { baseUrlSetting, defineProvider, secretSetting } from '../define-provider.js';
import type { BucketSettings } from './bucket.js';

/**
 * Keeps artifacts in a bucket of Amazon S3 or an S3-compatible service. Without configured keys, the credentials come
 * from the environment or the role of the machine, as in all AWS libraries.
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
      'object.and': 'Set both ARTIFACTS_S3_ACCESS_KEY_ID and ARTIFACTS_S3_SECRET_ACCESS_KEY, or neither',
    }),
  create(settings) {
    let opened: Promise<ArtifactStore> | undefined;
    // The AWS library is loaded only if this store is used.
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
