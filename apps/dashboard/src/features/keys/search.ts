import { flag, search } from '../../search.js';

export const keysSearch = search({ new: flag() });
