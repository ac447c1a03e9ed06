import { oneOf, search, text } from '../../search-params.js';

export const domainsSearch = search({ tab: oneOf(['sender-ids']), /** The domain that is open. */ id: text(64) });
