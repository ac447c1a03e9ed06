import { SUPPRESSION_REASONS } from '@jobline/contracts';
import { listSuppressions as listSuppressionsRows, type SuppressionRow } from '@jobline/db';
import { aboutText } from '@jobline/engine';
import { formsOf } from '@jobline/handlers';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import type { PageQuery } from '../http/paging.js';
import { timestamp, view } from '../http/view.js';
import { defineListEndpoint, defineRemovalEndpoint } from './row-endpoints.js';

const suppressionView = view<ReturnType<typeof toSuppressionView>>('Suppression', {
  id: uuid(),
  address: Joi.string().allow(null).description('In lower case; null: it was erased, and only a hash of it is kept.'),
  reason: Joi.valid(...SUPPRESSION_REASONS),
  created_at: timestamp(),
});

function toSuppressionView({ id, address, reason, createdAt }: SuppressionRow) {
  return { id, address: address.startsWith('erased:') ? null : address, reason, created_at: createdAt.toISOString() };
}

/** The addresses that get no more messages, because they bounced or complained; newest first. */
export const listSuppressions = defineListEndpoint({
  path: '/org/suppressions',
  summary: 'List suppressed addresses',
  right: 'suppressions',
  description: 'A page of suppressed addresses',
  filters: { address: aboutText().description('Only this address; upper and lower case are the same.') },
  view: suppressionView,
  rows: (db, orgId, { address, ...page }: PageQuery & { address?: string }) =>
    listSuppressionsRows(db, orgId, page, address === undefined ? undefined : formsOf(address)),
  toView: toSuppressionView,
});

/** Removes a suppression. The address gets messages again until it bounces or complains again. */
export const deleteSuppression = defineRemovalEndpoint({
  path: '/org/suppressions/:id',
  summary: 'Remove a suppression',
  right: 'suppressions',
  description: 'The address gets messages again.',
  action: 'suppression.lifted',
  table: 'suppressions',
});
