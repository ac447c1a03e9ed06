import type { ArtifactStore } from '@jobline/handlers/ports';
import { defineProvider } from '../define-provider.js';

/** Keeps artifacts in Postgres, together with their rows. There is no external store. */
export const database = defineProvider<object, ArtifactStore | null>({
  name: 'database',
  create: () => null,
});
