import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '@jobline/contracts';
import type { AuditOrigin } from '@jobline/db';
import type { ObjectSchema } from 'joi';
import type { Accepts } from './auth/authenticate.js';
import type { Principal, UserPrincipal } from './auth/principal.js';
import type { Right } from './auth/roles.js';
import type { EndpointDeps } from './deps.js';
import type { AnswerOf, Replies } from './http/responses.js';
import type { Read } from './http/validate.js';
import type { EndpointLimits } from './limits/endpoint-limits.js';

/** The credentials an endpoint wants. */
export type Auth = 'none' | Accepts;

type PrincipalOf<A extends Auth> = A extends 'none' ? undefined : A extends 'bearer' ? UserPrincipal : Principal;

/** The names in a path: `/jobs/:id/logs` has `id`. */
type ParamName<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamName<More>
    : Rest
  : never;

/** One request, checked: what a handle is given. */
export interface Call<Path extends string = string, A extends Auth = Auth, B = unknown, Q = unknown> {
  deps: EndpointDeps;
  principal: PrincipalOf<A>;
  /** Who asks and from where, as the audit log has it. */
  origin: AuditOrigin;
  params: Record<ParamName<Path>, string>;
  query: Q;
  body: B;
  /** Where the endpoint is idempotent and the caller has sent one. */
  idempotencyKey: string | undefined;
  /** The caller's own span, as W3C's header has it; null: it sent none. */
  traceparent: string | null;
  /** The request as it came, where the endpoint is raw. */
  raw: RawRequest | undefined;
  /** Where the endpoint is resumable and the caller has sent one. */
  lastEventId: string | undefined;
  /** Whether the caller's credentials still hold and allow this: for answers that take long. */
  isStillAllowed(): Promise<boolean>;
  /** Calls back once the answer has ended: sent, refused or broken off. At once if it has ended already. */
  onEnd(listener: () => void): void;
  /** The request's path and query, for links to further pages. */
  url: string;
  /** A signal that fires when the caller has closed the connection: for work that can be given up. */
  getSignal(): AbortSignal;
}

/** What only its sender knows how to read. */
export interface RawRequest {
  body: Uint8Array;
  headers: IncomingHttpHeaders;
  query: URLSearchParams;
}

/** A body that one Joi schema cannot tell: how it is read, and for the documents what it looks like. */
export interface CustomBody<B> {
  schemas: readonly ObjectSchema[];
  read(value: Readonly<Record<string, unknown>>, deps: EndpointDeps): Read<B>;
}

/** All there is to know of an endpoint. The router and the API's documents are both made from it. */
export interface Endpoint<
  Path extends string = string,
  A extends Auth = Auth,
  B = unknown,
  Q = unknown,
  R extends Replies = Replies,
> {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  path: Path;
  summary: string;
  auth: A;
  /** What the principal's role must allow; absent where there is no principal. */
  right?: Right;
  /** What an id in the path looks like. One that looks otherwise cannot exist: 404. */
  params?: Record<ParamName<Path>, RegExp>;
  query?: ObjectSchema<Q>;
  /** Absent: a body is not read. */
  body?: ObjectSchema<B> | CustomBody<B>;
  /**
   * Its callers have forms of their own: body and query are handed over as they come, the body up to so many bytes.
   * `check` throws what refuses the request before its body is read.
   */
  raw?: {
    maxBytes: number;
    check(request: Omit<RawRequest, 'body'>, params: Record<string, string>, deps: EndpointDeps): void;
  };
  /** Whether it takes the header Idempotency-Key, and sees to it that such a request is done once. */
  idempotent?: true;
  /** Whether it takes the header Last-Event-ID, and goes on from there. */
  resumable?: true;
  /** How often it may be asked, and how that is counted: by address and account, by organization or by caller. */
  limits?: EndpointLimits<PrincipalOf<A>, B>;
  /** The statuses it answers with, what they mean and what comes with them. Errors are not among them. */
  responses: R;
  /** The error codes it answers with beside those that follow from the fields above. */
  errors?: readonly ErrorCode[];
  /** A method and no arrow in a field: only so do endpoints of every path, body and query fit into one list. */
  handle(call: Call<Path, A, B, Q>): Promise<AnswerOf<NoInfer<R>>>;
}

/** Gives an endpoint's handle the types that its other fields imply. */
export function defineEndpoint<Path extends string, A extends Auth, R extends Replies, B = undefined, Q = undefined>(
  endpoint: Endpoint<Path, A, B, Q, R>,
): Endpoint<Path, A, B, Q, R> {
  return endpoint;
}
