import { oneOf, search, text } from '../../search-params.js';

export const smsSearch = search({
  status: oneOf(['queued', 'sent', 'failed', 'delivered']),
  id: text(64),
  tab: oneOf(['compose', 'history']),
});
