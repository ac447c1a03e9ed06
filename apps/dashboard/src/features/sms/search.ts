import { oneOf, search, text } from '../../search.js';

export const smsSearch = search({
  status: oneOf(['queued', 'sent', 'failed', 'delivered']),
  id: text(64),
  tab: oneOf(['compose', 'history']),
});
