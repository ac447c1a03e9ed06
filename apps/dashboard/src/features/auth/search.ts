import { flag, search, text } from '../../search-params.js';

export const loginSearch = search({ next: text(2_000), forgot: flag() });
export const joinSearch = search({ token: text() });
export const resetSearch = search({ token: text() });
