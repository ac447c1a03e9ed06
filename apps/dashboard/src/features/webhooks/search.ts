import { DELIVERY_STATUSES } from '@jobline/contracts';
import { oneOf, search, text } from '../../search-params.js';

export const webhooksSearch = search({
  /** The open webhook. */
  id: text(64),
  status: oneOf(DELIVERY_STATUSES),
  /** The open delivery. */
  delivery: text(64),
});
