import { flag, oneOf, search, text } from '../../search-params.js';

export const TEMPLATE_TABS = ['edit', 'preview', 'data'] as const;
export type TemplateTab = (typeof TEMPLATE_TABS)[number];

export const templatesSearch = search({
  id: text(64),
  new: flag(),
  /** The example that a new template starts with. */
  from: oneOf(['welcome']),
  tab: oneOf(TEMPLATE_TABS),
});

export type TemplatesSearch = ReturnType<typeof templatesSearch>;
