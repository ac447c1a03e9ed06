import { flag, search, text } from '../../search-params.js';

export const keysSearch = search({ new: flag(), /** Only keys that this user has made. */ created_by: text(64) });
