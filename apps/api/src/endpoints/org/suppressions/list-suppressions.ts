import { listSuppressions as listSuppressionsRows } from '@jobline/db';
import { suppressionView, toSuppressionView } from '../../../views/suppression-view.js';
import { defineListEndpoint } from '../../row-endpoints.js';

/** The addresses that get no more messages, because they bounced or complained; newest first. */
export const listSuppressions = defineListEndpoint({
  path: '/org/suppressions',
  summary: 'List suppressed addresses',
  right: 'suppressions',
  description: 'A page of suppressed addresses',
  view: suppressionView,
  rows: listSuppressionsRows,
  toView: toSuppressionView,
});
