import { search, text } from '../../search-params.js';

/** `id`: of the open schedule. */
export const schedulesSearch = search({ id: text(64) });
