import { type HttpClient, listAll } from '../http/http-client.js';
import type { BodyOf, OutputOf, QueryOf, Schemas } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { Page } from '../types.js';

/** Emails of the organization: sent directly, and those of jobs. */
export class Emails {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /** Sends an email now, without a job. */
  send(email: BodyOf<'sendEmail'>, options?: RequestOptions): Promise<OutputOf<'sendEmail'>> {
    return this.#client.call('sendEmail', { body: email }, options);
  }

  list(query: QueryOf<'listEmails'> = {}, options?: RequestOptions): Promise<Page<Schemas['Email']>> {
    return this.#client.page('listEmails', { query }, options);
  }

  all(query: QueryOf<'listEmails'> = {}, options?: RequestOptions): AsyncGenerator<Schemas['Email'], void, undefined> {
    return listAll((next) => this.list({ ...query, ...next }, options));
  }

  get(id: string, options?: RequestOptions): Promise<Schemas['EmailDetail']> {
    return this.#client.call('getEmail', { path: { id } }, options);
  }
}

/** Chat messages of the organization, which jobs have sent. */
export class ChatMessages {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  list(query: QueryOf<'listChatMessages'> = {}, options?: RequestOptions): Promise<Page<Schemas['ChatMessage']>> {
    return this.#client.page('listChatMessages', { query }, options);
  }

  all(
    query: QueryOf<'listChatMessages'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<Schemas['ChatMessage'], void, undefined> {
    return listAll((next) => this.list({ ...query, ...next }, options));
  }

  get(id: string, options?: RequestOptions): Promise<Schemas['ChatMessageDetail']> {
    return this.#client.call('getChatMessage', { path: { id } }, options);
  }
}

/** Text messages of the organization: sent directly, and those of jobs. */
export class TextMessages {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /** Sends a text message now, without a job. */
  send(message: BodyOf<'sendSms'>, options?: RequestOptions): Promise<OutputOf<'sendSms'>> {
    return this.#client.call('sendSms', { body: message }, options);
  }

  list(query: QueryOf<'listSms'> = {}, options?: RequestOptions): Promise<Page<Schemas['Sms']>> {
    return this.#client.page('listSms', { query }, options);
  }

  all(query: QueryOf<'listSms'> = {}, options?: RequestOptions): AsyncGenerator<Schemas['Sms'], void, undefined> {
    return listAll((next) => this.list({ ...query, ...next }, options));
  }

  get(id: string, options?: RequestOptions): Promise<Schemas['SmsDetail']> {
    return this.#client.call('getSms', { path: { id } }, options);
  }
}
