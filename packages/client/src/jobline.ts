import { createHttpClient, type HttpClient, type OpenInput } from './http/http-client.js';
import type { AnyJobs, JobTypes } from './job-types.js';
import { Jobs } from './jobs/jobs.js';
import type { InputOf, ItemOf, OperationId, OutputOf } from './operations.js';
import { type JoblineOptions, type RequestOptions, readOptions } from './options.js';
import { Auth, Erasures, Keys, Settings } from './resources/account.js';
import { Files } from './resources/files.js';
import { Limits } from './resources/limits.js';
import { ChatMessages, Emails, TextMessages } from './resources/messages.js';
import { Schedules } from './resources/schedules.js';
import { Webhooks } from './resources/webhooks.js';
import type { Found, Page } from './types.js';

/**
 * The client of a Jobline API. `Types` are the types of the installation: then it knows only their names.
 *
 * @example
 * const jobline = new Jobline({ url: 'https://jobs.example.com', key: process.env.JOBLINE_API_KEY });
 * const { id } = await jobline.jobs.submit('send_sms', { to: '+254700000001', message: 'Hello' });
 * const job = await jobline.jobs.wait(id);
 */
export class Jobline<Types extends JobTypes<Types> = AnyJobs> {
  readonly jobs: Jobs<Types>;
  readonly files: Files;
  readonly schedules: Schedules<Types>;
  readonly limits: Limits;
  readonly webhooks: Webhooks;
  readonly keys: Keys;
  readonly settings: Settings;
  readonly erasures: Erasures;
  readonly email: Emails;
  readonly sms: TextMessages;
  readonly chat: ChatMessages;
  readonly auth: Auth;
  readonly #client: HttpClient;

  constructor(options: JoblineOptions) {
    const client = createHttpClient(readOptions(options));
    this.#client = client;
    this.jobs = new Jobs<Types>(client);
    this.files = new Files(client);
    this.schedules = new Schedules<Types>(client);
    this.limits = new Limits(client);
    this.webhooks = new Webhooks(client);
    this.keys = new Keys(client);
    this.settings = new Settings(client);
    this.erasures = new Erasures(client);
    this.email = new Emails(client);
    this.sms = new TextMessages(client);
    this.chat = new ChatMessages(client);
    this.auth = new Auth(client);
  }

  /** Finds jobs, messages and what the organization has set up by beginnings of words: at most 30, the best first. */
  search(words: string, options?: RequestOptions): Promise<Found[]> {
    return this.#client.call('search', { query: { q: words } }, options);
  }

  /**
   * Calls any operation of the API document by its id.
   *
   * @example
   * await jobline.call('createDomain', { body: { domain: 'example.com' } });
   */
  call<Id extends OperationId>(operation: Id, input: InputOf<Id>, options?: RequestOptions): Promise<OutputOf<Id>> {
    return this.#client.call(operation, input, options);
  }

  /** Calls any operation that lists something, and resolves with one page. */
  page<Id extends OperationId>(operation: Id, input: InputOf<Id>, options?: RequestOptions): Promise<Page<ItemOf<Id>>> {
    return this.#client.page(operation, input, options);
  }

  /**
   * Calls any operation whose response is not JSON, such as a file or an event stream. `timeoutMs` ends when the response
   * begins. The signal also ends the response.
   */
  open<Id extends OperationId>(operation: Id, input: OpenInput<Id>, options?: RequestOptions): Promise<Response> {
    return this.#client.open(operation, input, options);
  }
}
