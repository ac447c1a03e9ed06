import type { EndpointRequest } from './ask.js';
import type { Organization } from './organization.js';

/** The lowest role that has access; `key`: every role, and programs whose API key has the scope. */
export type Who = 'anybody' | 'key' | 'member' | 'admin' | 'owner';

export interface Row {
  who: Who;
  /** The status for a caller with access. */
  status: number;
  /** A valid request of an organization's owner. Everything that it names is new and belongs to the organization. */
  ask(of: Organization): Promise<EndpointRequest> | EndpointRequest;
  /** Whether the path may name something that does not exist yet. */
  createsName?: true;
  /** More requests that name something of the organization, in places where a stranger might try it. */
  alsoNaming?(of: Organization): Promise<EndpointRequest[]>;
}
