import { flag, search, text } from '../../search-params.js';

export const keysSearch = search({
  new: flag(),
  /** Shows only the keys that this user has created. */ created_by: text(64),
  /** The key whose details are open. */ id: text(64),
  /** The key that is being rotated. */ rotate: text(64),
});
