import { oneOf, search, text } from '../../search-params.js';

export const limitsSearch = search({ tab: oneOf(['types']), /** The name of the open limit. */ name: text(64) });
