import { AUDIT_ACTIONS } from '@jobline/contracts';
import { flag, oneOf, search } from '../../search-params.js';

export const teamSearch = search({ invite: flag(), tab: oneOf(['activity']), action: oneOf(AUDIT_ACTIONS) });
