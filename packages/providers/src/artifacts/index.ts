import { providerKind } from '../define-provider.js';
import { database } from './database.js';
import { s3 } from './s3.js';

/** The artifact stores, named by ARTIFACTS. Each store is one line. */
export const artifactStores = providerKind('ARTIFACTS', [database, s3]);
