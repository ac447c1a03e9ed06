import { type HttpClient, listAll } from '../http/http-client.js';
import type { BodyOf, OutputOf, QueryOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { Delivery, DeliveryDetail, NewWebhook, Page, Webhook } from '../types.js';

type Secret = OutputOf<'rotateSecret'>;

/** The addresses to which the organization has its events sent. They need the token of a session. */
export class Webhooks {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  list(query: QueryOf<'listWebhooks'> = {}, options?: RequestOptions): Promise<Page<Webhook>> {
    return this.#client.page('listWebhooks', { query }, options);
  }

  get(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#client.call('getWebhook', { path: { id } }, options);
  }

  /** Only this response has the `secret`. */
  create(webhook: BodyOf<'createWebhook'>, options?: RequestOptions): Promise<NewWebhook> {
    return this.#client.call('createWebhook', { body: webhook }, options);
  }

  update(id: string, changes: BodyOf<'changeWebhook'>, options?: RequestOptions): Promise<Webhook> {
    return this.#client.call('changeWebhook', { path: { id }, body: changes }, options);
  }

  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.#client.call('deleteWebhook', { path: { id } }, options);
  }

  /** Makes a new secret. For 24 hours the old one signs too. */
  rotate(id: string, options?: RequestOptions): Promise<Secret> {
    return this.#client.call('rotateSecret', { path: { id } }, options);
  }

  /** Sends a `test.ping`. */
  test(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#client.call('testWebhook', { path: { id } }, options);
  }

  /** Delivers again what has failed since a time, and with `delivered` also what was delivered. */
  recover(id: string, since: BodyOf<'recoverWebhook'>, options?: RequestOptions): Promise<Webhook> {
    return this.#client.call('recoverWebhook', { path: { id }, body: since }, options);
  }

  deliveries(id: string, query: QueryOf<'listDeliveries'> = {}, options?: RequestOptions): Promise<Page<Delivery>> {
    return this.#client.page('listDeliveries', { path: { id }, query }, options);
  }

  allDeliveries(
    id: string,
    query: QueryOf<'listDeliveries'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<Delivery, void, undefined> {
    return listAll((next) => this.deliveries(id, { ...query, ...next }, options));
  }

  /** A delivery with its body and its attempts. */
  delivery(id: string, delivery: string, options?: RequestOptions): Promise<DeliveryDetail> {
    return this.#client.call('getDelivery', { path: { id, delivery } }, options);
  }

  /** Makes one more attempt of a delivery. */
  redeliver(id: string, delivery: string, options?: RequestOptions): Promise<Delivery> {
    return this.#client.call('redeliver', { path: { id, delivery } }, options);
  }

  /** The secret of the organization, which signs callbacks and the jobs of the type `webhook`. */
  organizationSecret(options?: RequestOptions): Promise<Secret> {
    return this.#client.call('getWebhookSecret', {}, options);
  }

  /** Replaces the secret of the organization. For 24 hours the old one signs too. */
  rotateOrganizationSecret(options?: RequestOptions): Promise<Secret> {
    return this.#client.call('rotateWebhookSecret', {}, options);
  }
}
