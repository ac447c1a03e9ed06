import { flag, instant, oneOf, search, text } from '../../search-params.js';

export const jobsSearch = search({
  status: oneOf(['pending', 'processing', 'done', 'failed']),
  type: text(128),
  created_after: instant(),
  created_before: instant(),
  window: oneOf(['1h', '24h', '7d']),
  new: flag(),
});
