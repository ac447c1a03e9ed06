import { flag, oneOf, search, text } from '../../search.js';

export const domainsSearch = search({ tab: oneOf(['domains', 'senders']), id: text(64), new: flag() });
