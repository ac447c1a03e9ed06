import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorCode, type Right, SCOPE_RIGHTS, type Scope } from '@jobline/contracts';
import type { AuditOrigin } from '@jobline/db';
import type { Validated } from '@jobline/engine';
import type { ObjectSchema } from 'joi';
import type { Accepts } from './auth/authenticate.js';
import type { Principal, UserPrincipal } from './auth/authorize.js';
import type { AppSettings } from './config.js';
import type { DepName, Deps } from './deps.js';
import { UUID_PATTERN } from './http/fields.js';
import type { AnswerOf, ResponseSpecs } from './http/response-specs.js';

import type { EndpointLimits } from './rate-limits/endpoint-limits.js';

/** The credentials that an endpoint requires: none, a session token, or a session token or an API key with this scope. */
export type Auth = 'none' | Accepts;

type PrincipalOf<A extends Auth> = A extends 'none' ? undefined : A extends 'bearer' ? UserPrincipal : Principal;

/** The names in a path: `/jobs/:id/logs` has `id`. */
type ParamName<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamName<More>
    : Rest
  : never;

/** One valid request: the argument of a handle. `D`: the dependencies of the endpoint. */
export interface Call<Path extends string = string, A extends Auth = Auth, B = unknown, Q = unknown, D = unknown> {
  /** The dependencies that the endpoint declares in `needs`. */
  deps: D;
  principal: PrincipalOf<A>;
  /** Who sent the request and from which address, for the audit log. */
  origin: AuditOrigin;
  params: Record<ParamName<Path>, string>;
  query: Q;
  body: B;
  /** Set if the endpoint is idempotent and the request has the header. */
  idempotencyKey: string | undefined;
  /** The caller's span in the W3C format; null if the request has none. */
  traceparent: string | null;
  /** The unparsed request, if the endpoint is raw. */
  raw: RawRequest | undefined;
  /** The body, if the endpoint takes a file. */
  upload: UploadedBody | undefined;
  /** Set if the endpoint is resumable and the request has the header. */
  lastEventId: string | undefined;
  /** Whether the caller's credentials are still valid and allow this request: for responses that take long. */
  isStillAllowed(): Promise<boolean>;
  /** Calls back once the response has ended, for whatever reason; immediately if it has ended already. */
  onEnd(listener: () => void): void;
  /** The request's path and query, for links to further pages. */
  url: string;
  /** A signal that fires when the caller has closed the connection: for work that can be stopped. */
  getSignal(): AbortSignal;
  /** Waits for something else than Postgres, without the turn of the request, which others then have. */
  waitOutside<T>(work: () => Promise<T>): Promise<T>;
  /** Waits for the memory to parse stored JSON of this size, which the request then has until its response is sent. */
  reserve(jsonBytes: number): Promise<void>;
}

/** A file that is being received. */
export interface UploadedBody {
  contentType: string;
  /** Its bytes in parts of a limited size. Throws `payload_too_large` after the largest size. May be read once. */
  parts: AsyncIterable<Uint8Array>;
}

/** A request in a format that only its sender defines. */
export interface RawRequest {
  body: Uint8Array;
  headers: IncomingHttpHeaders;
  /** The public URL of the request, with the path and the query as received. */
  url: string;
  query: URLSearchParams;
}

/** A body that one Joi schema cannot describe: its schemas for the API document, and its own validation. */
export interface CustomBody<B, Q = unknown> {
  schemas: readonly ObjectSchema[];
  /** `query` is undefined if it is invalid. A validation that takes long awaits `nextTurn` between its parts. */
  validate(
    value: Readonly<Record<string, unknown>>,
    deps: Deps<'catalogue' | 'settings'>,
    query: Q | undefined,
    nextTurn: () => Promise<void>,
  ): Validated<B> | Promise<Validated<B>>;
}

/** What an endpoint says about itself. */
interface Definition<Path extends string, A extends Auth, B, Q, R extends ResponseSpecs, D> {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  path: Path;
  summary: string;
  /** Absent: a session token. */
  auth?: A;
  /** Scopes of which an API key may have one instead of that in `auth`: it then gets less. */
  otherScopes?: readonly Scope[];
  /** What the principal's role must allow. Absent for endpoints without credentials, and where a scope implies it. */
  right?: Right | undefined;
  /** The dependencies that this endpoint uses. It gets no others. */
  needs?: readonly DepName[];
  /** The patterns of the ids in the path; by default they are UUIDs. A path whose id does not match is answered with 404. */
  params?: Partial<Record<ParamName<Path>, RegExp>>;
  query?: ObjectSchema<Q>;
  /** Absent: the body is not read. */
  body?: ObjectSchema<B> | CustomBody<B, NoInfer<Q>>;
  /** Whether the body may be left out, which means an empty object. */
  isBodyOptional?: true;
  /**
   * For callers with their own formats: the handle gets the unparsed query and body. `check` rejects a request by
   * throwing, before its body is read.
   */
  raw?: {
    maxBytes: number;
    check(request: Omit<RawRequest, 'body'>, params: Record<string, string>, deps: D): void;
  };
  /** For endpoints whose body is a file of any type: the handle reads it part by part. */
  upload?: { maxBytes(settings: AppSettings): number };
  /** Whether the endpoint supports the header Idempotency-Key. Its handle must then carry out such a request once. */
  idempotent?: true;
  /** Whether the endpoint supports the header Last-Event-ID. Its handle must then resume after that event. */
  resumable?: true;
  /**
   * The rate limits: per address and account, per organization, or per caller. By default those of reads or of changes,
   * if the endpoint needs a credential.
   */
  limits?: EndpointLimits<PrincipalOf<A>, B, D> | 'none';
  /** Whether a request may change very many rows: then those of an organization run one at a time. */
  takesTurns?: true;
  /** The responses by status. Error responses are not among them. */
  responses: R;
  /** The error codes that do not follow from the fields above. */
  errors?: readonly ErrorCode[];
  /** A method instead of a function property, so that endpoints of every path, body and query fit into one list. */
  handle(call: Call<Path, A, B, Q, D>): Promise<AnswerOf<NoInfer<R>>>;
}

/** The complete definition of an endpoint. The router and the API document are both made from it. */
export interface Endpoint<
  Path extends string = string,
  A extends Auth = Auth,
  B = unknown,
  Q = unknown,
  R extends ResponseSpecs = ResponseSpecs,
  D = unknown,
> extends Definition<Path, A, B, Q, R, D> {
  auth: A;
}

/**
 * Infers the types of an endpoint's handle from the other fields of the endpoint. `N`: the names in `needs`. An endpoint
 * that API keys may call requires the right of its scope.
 */
export function defineEndpoint<
  Path extends string,
  R extends ResponseSpecs,
  A extends Auth = 'bearer',
  B = undefined,
  Q = undefined,
  N extends DepName = never,
>(endpoint: Definition<Path, A, B, Q, R, Deps<N>> & { needs?: readonly N[] }): Endpoint<Path, A, B, Q, R, Deps<N>> {
  // The cast: without `auth`, its type is 'bearer'.
  const { auth = 'bearer' as A } = endpoint;
  const accepted: Auth = auth;
  const right = accepted === 'none' || accepted === 'bearer' ? endpoint.right : SCOPE_RIGHTS[accepted];
  const ids = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => [name, UUID_PATTERN]);
  const params = ids.length > 0 && { params: { ...Object.fromEntries(ids), ...endpoint.params } };
  return { ...endpoint, auth, right, ...params };
}
