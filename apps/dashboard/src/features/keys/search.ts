import { flag, search, text } from '../../search-params.js';

export const keysSearch = search({
  new: flag(),
  /** Shows only the keys that this user has created. */ created_by: text(64),
});
