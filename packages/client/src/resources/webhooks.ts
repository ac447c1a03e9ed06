import { listAll } from '../http/http-client.js';
import type { QueryOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { Delivery, DeliveryDetail } from '../types.js';
import { Resource } from './resource.js';

/** The addresses to which the organization has its events sent. They need the token of a session. */
export class Webhooks extends Resource {
  list = this.pageOf('listWebhooks');
  get = this.byId('getWebhook');
  /** Only this response has the `secret`. */
  create = this.withBody('createWebhook');
  update = this.byIdWithBody('changeWebhook');
  delete = this.byId('deleteWebhook');
  /** Makes a new secret. For 24 hours the old one signs too. */
  rotate = this.byId('rotateSecret');
  /** Sends a `test.ping`. */
  test = this.byId('testWebhook');
  /** Delivers again what has failed since a time, and with `delivered` also what was delivered. */
  recover = this.byIdWithBody('recoverWebhook');
  deliveries = this.pageById('listDeliveries');

  allDeliveries(
    id: string,
    query: QueryOf<'listDeliveries'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<Delivery, void, undefined> {
    return listAll((next) => this.deliveries(id, { ...query, ...next }, options));
  }

  /** A delivery with its body and its attempts. */
  delivery(id: string, delivery: string, options?: RequestOptions): Promise<DeliveryDetail> {
    return this.client.call('getDelivery', { path: { id, delivery } }, options);
  }

  /** Makes one more attempt of a delivery. */
  redeliver(id: string, delivery: string, options?: RequestOptions): Promise<Delivery> {
    return this.client.call('redeliver', { path: { id, delivery } }, options);
  }

  /** The secret of the organization, which signs callbacks and the jobs of the type `webhook`. */
  organizationSecret = this.plain('getWebhookSecret');
  /** Replaces the secret of the organization. For 24 hours the old one signs too. */
  rotateOrganizationSecret = this.plain('rotateWebhookSecret');
}
