import { deleteTemplate as deleteTemplateRow } from '@jobline/db';
import { defineRemovalEndpoint } from '../../row-endpoints.js';

/** Removes a template. Jobs that use it fail from now on. */
export const deleteTemplate = defineRemovalEndpoint({
  path: '/org/templates/:id',
  summary: 'Remove a template',
  right: 'templates',
  description: 'The template is removed.',
  action: 'template.removed',
  remove: deleteTemplateRow,
});
