import { SUPPRESSION_REASONS } from '@jobline/contracts';
import type { SuppressionRow } from '@jobline/db';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { timestamp, view } from './view.js';

export const suppressionView = view<ReturnType<typeof toSuppressionView>>('Suppression', {
  id: uuid(),
  address: Joi.string().description('In lower case.'),
  reason: Joi.valid(...SUPPRESSION_REASONS),
  created_at: timestamp(),
});

export function toSuppressionView({ id, address, reason, createdAt }: SuppressionRow) {
  return { id, address, reason, created_at: createdAt.toISOString() };
}
