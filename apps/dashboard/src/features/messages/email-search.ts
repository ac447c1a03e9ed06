import { flag, oneOf, search, text } from '../../search-params.js';

export const emailSearch = search({
  folder: oneOf(['queued', 'sent', 'failed', 'delivered', 'bounced', 'complained', 'drafts', 'suppressed']),
  id: text(64),
  compose: flag(),
});
