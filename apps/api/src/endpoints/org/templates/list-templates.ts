import { listTemplates as listTemplatesRows } from '@jobline/db';
import { templateSummaryView, toTemplateSummaryView } from '../../../views/template-view.js';
import { defineListEndpoint } from '../../row-endpoints.js';

/** The organization's templates without their bodies, newest first. */
export const listTemplates = defineListEndpoint({
  path: '/org/templates',
  summary: 'List templates',
  right: 'read_templates',
  description: 'A page of templates',
  view: templateSummaryView,
  rows: listTemplatesRows,
  toView: toTemplateSummaryView,
});
