import { listDomains as listDomainsRows } from '@jobline/db';
import { domainView, toDomainView } from '../../../views/sender-view.js';
import { defineListEndpoint } from '../../row-endpoints.js';

/** The organization's domains, newest first. */
export const listDomains = defineListEndpoint({
  path: '/org/domains',
  summary: 'List domains to send email from',
  right: 'read_senders',
  description: 'A page of domains',
  view: domainView,
  rows: listDomainsRows,
  toView: toDomainView,
});
