import { providerKind } from '../define-provider.js';
import { database } from './database.js';
import { s3 } from './s3.js';

/** Where artifacts are kept, as ARTIFACTS names it: one line each. */
export const artifactStores = providerKind('ARTIFACTS', [database, s3]);
