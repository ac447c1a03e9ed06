import type { ArtifactStore } from '@jobline/handlers/ports';
import Joi from 'joi';
import { defineProvider } from '../define-provider.js';

/** In Postgres, with their rows: nothing outside. */
export const database = defineProvider<object, ArtifactStore | null>({
  name: 'database',
  settings: Joi.object({}),
  create: () => null,
});
