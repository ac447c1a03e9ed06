import { flag, oneOf, search, text } from '../../search.js';

export const templatesSearch = search({ id: text(64), new: flag(), tab: oneOf(['edit', 'preview', 'data']) });
