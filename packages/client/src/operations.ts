import type { components, operations } from './generated/api.js';

/** The schemas of the API document, by name. */
export type Schemas = components['schemas'];

/** The name of an endpoint in the API document. */
export type OperationId = keyof operations;

export type PathOf<O extends OperationId> = NonNullable<operations[O]['parameters']['path']>;
export type QueryOf<O extends OperationId> = NonNullable<operations[O]['parameters']['query']>;
export type BodyOf<O extends OperationId> = JsonOf<NonNullable<operations[O]['requestBody']>>;

/** What an operation is called with: only the parts that it has, and those optional of which every field is. */
export type InputOf<O extends OperationId> = Part<'path', PathOf<O>> &
  Part<'query', QueryOf<O>> &
  Part<'body', BodyOf<O>>;

/** The JSON of a successful response; undefined if it has no body. */
export type OutputOf<O extends OperationId> = SuccessOf<operations[O]['responses']>;

/** The row of a list. */
export type ItemOf<O extends OperationId> = OutputOf<O> extends readonly (infer Item)[] ? Item : never;

type JsonOf<T> = T extends { content: { 'application/json': infer Json } } ? Json : never;

/** The generated types have only the successful responses. */
type SuccessOf<R> = {
  [Status in keyof R]: R[Status] extends { content: { 'application/json': infer Json } } ? Json : undefined;
}[keyof R];

type Part<Name extends string, T> = [T] extends [never]
  ? unknown
  : Partial<T> extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T };
