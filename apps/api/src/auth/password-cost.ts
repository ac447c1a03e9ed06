import { inProduction } from '@jobline/runtime';
import Joi from 'joi';

/** The lowest cost factor of bcrypt in production, and the default. */
export const PRODUCTION_COST = 12;

/** The setting `BCRYPT_COST`. Its schema must also have `NODE_ENV`. */
export const passwordCostSetting = inProduction(Joi.number().integer().max(15).default(PRODUCTION_COST), {
  production: (cost) => cost.min(PRODUCTION_COST),
  otherwise: (cost) => cost.min(4),
});
