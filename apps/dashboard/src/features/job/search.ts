import { oneOf, search } from '../../search.js';

export const jobSearch = search({ tab: oneOf(['payload', 'result', 'files', 'log']) });
