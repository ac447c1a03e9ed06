import { flag, search } from '../../search.js';

export const teamSearch = search({ invite: flag() });
