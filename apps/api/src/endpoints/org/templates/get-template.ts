import { findTemplate } from '@jobline/db';
import { templateView, toTemplateView } from '../../../views/template-view.js';
import { defineReadEndpoint } from '../../row-endpoints.js';

/** A template of the organization, with its text. */
export const getTemplate = defineReadEndpoint({
  path: '/org/templates/:id',
  summary: 'Read a template',
  right: 'read_templates',
  description: 'The template.',
  view: templateView,
  find: findTemplate,
  toView: toTemplateView,
});
