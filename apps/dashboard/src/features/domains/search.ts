import { oneOf, search, text } from '../../search-params.js';

export const domainsSearch = search({ tab: oneOf(['sender-ids']), /** The id of the open domain. */ id: text(64) });
