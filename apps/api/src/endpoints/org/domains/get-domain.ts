import { findDomain } from '@jobline/db';
import { domainView, toDomainView } from '../../../views/sender-view.js';
import { defineReadEndpoint } from '../../row-endpoints.js';

/** A domain of the organization. */
export const getDomain = defineReadEndpoint({
  path: '/org/domains/:id',
  summary: 'Read a domain',
  right: 'read_senders',
  description: 'The domain.',
  view: domainView,
  find: findDomain,
  toView: toDomainView,
});
