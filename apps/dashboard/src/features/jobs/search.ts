import { flag, instant, oneOf, search, text } from '../../search-params.js';

export const jobsSearch = search({
  status: oneOf(['pending', 'processing', 'done', 'failed']),
  type: text(128),
  created_after: instant(),
  created_before: instant(),
  /** Tags, separated by commas. A job must have all of them. */
  tag: text(350),
  key: text(200),
  /** The id of a schedule. */
  schedule: text(64),
  window: oneOf(['1h', '24h', '7d']),
  new: flag(),
});
