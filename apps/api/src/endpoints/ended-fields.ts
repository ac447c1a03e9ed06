import { instant } from '@jobline/engine';
import Joi from 'joi';

/** The filters of ended jobs, which select the same in the groups of failures and in bulk actions. */
export const endedFields = {
  message: Joi.string()
    .allow('')
    .max(1_000)
    .description('Jobs that failed with this message, as `GET /stats/failures` shows it: with placeholders.'),
  ended_after: instant().description('Jobs that ended at or after this time.'),
  ended_before: instant().description('Jobs that ended before this time.'),
};
