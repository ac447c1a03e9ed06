import type { AuditAction, OrgId, Right, Scope, VisibleTypes } from '@jobline/contracts';
import {
  type Db,
  type DbSession,
  type Page,
  type RemovableTable,
  recordAudit,
  removeRow,
  retryDeadlocks,
} from '@jobline/db';
import type { ObjectSchema, SchemaMap } from 'joi';
import type { AppSettings } from '../config.js';
import { defineEndpoint } from '../endpoint.js';
import { notFound } from '../http/errors.js';
import { UUID_PATTERN } from '../http/fields.js';
import { type PageQuery, pageAnswer, pageQuery } from '../http/paging.js';
import { empty, json, page, type ResponseSpecs } from '../http/response-specs.js';

/** Endpoints that differ only in the kind of row of the organization that they list, read or remove. */

interface RowEndpoint {
  path: string;
  summary: string;
  /** What the response means, for the API document. */
  description: string;
}

/** The scope of the API keys that may call it, or the right of the users who may: then no key may. */
type ReadingAccess = { scope: Scope; right?: never } | { scope?: never; right: Right };

interface List<R, View, F> extends RowEndpoint {
  view: ObjectSchema<View>;
  /** The filters in the query, in addition to `limit` and `cursor`. */
  filters?: SchemaMap;
  /** `types`: the job types that the caller may see. */
  rows(db: Db, orgId: OrgId, query: PageQuery & F, types: VisibleTypes): Promise<Page<R>>;
  toView(row: R, settings: AppSettings): View;
}

/** The page of a caller who may see none of the rows. */
export const NO_ROWS = { items: [], next: null };

/** Defines an endpoint that lists rows, page by page, newest first. */
export function defineListEndpoint<R, View, F extends object = object>(list: List<R, View, F> & ReadingAccess) {
  const { path, summary, right, scope, description, view, filters, rows, toView } = list;
  const responses: ResponseSpecs = { 200: page(description, view) };
  return defineEndpoint({
    method: 'get',
    path,
    summary,
    auth: scope ?? 'bearer',
    right,
    needs: ['db', 'settings'],
    query: pageQuery<F>(UUID_PATTERN, filters),
    responses,
    async handle({ deps: { db, settings }, principal, query, url }) {
      return pageAnswer(url, await rows(db, principal.orgId, query, principal.types), (row) => toView(row, settings));
    },
  });
}

interface Read<R, View> extends RowEndpoint {
  path: `${string}/:id` | `${string}/:id/${string}`;
  /** The pattern of the id; absent: it is a UUID. */
  id?: RegExp;
  view: ObjectSchema<View>;
  /** `types`: the job types that the caller may see. */
  find(db: Db, orgId: OrgId, id: string, types: VisibleTypes): Promise<R | null>;
  toView(row: R): View;
}

/** Defines an endpoint that reads one row. */
export function defineReadEndpoint<R, View>(read: Read<R, View> & ReadingAccess) {
  const { path, summary, right, scope, description, id = UUID_PATTERN, view, find, toView } = read;
  const responses: ResponseSpecs = { 200: json(description, view) };
  return defineEndpoint({
    method: 'get',
    path,
    summary,
    auth: scope ?? 'bearer',
    right,
    needs: ['db'],
    params: { id },
    responses,
    async handle({ deps, principal, params }) {
      const row = await find(deps.db, principal.orgId, params.id, principal.types);
      if (row === null) throw notFound();
      return { status: 200, body: toView(row) };
    },
  });
}

interface Removal extends RowEndpoint {
  path: `${string}/:id`;
  right: Right;
  action: AuditAction;
  /** Removes rows that belong to it, if they are too many for one transaction. */
  removeParts?(db: DbSession, orgId: OrgId, id: string): Promise<void>;
  table: RemovableTable;
}

/** Defines an endpoint that removes one row and records it in the audit log. */
export function defineRemovalEndpoint({ path, summary, right, description, action, removeParts, table }: Removal) {
  return defineEndpoint({
    method: 'delete',
    path,
    summary,
    right,
    needs: ['db'],
    ...(removeParts && { takesTurns: true }),
    responses: { 204: empty(description) },
    async handle({ deps, principal, origin, params: { id } }) {
      await removeParts?.(deps.db, principal.orgId, id);
      await retryDeadlocks(() =>
        deps.db.$transaction(async (tx) => {
          const name = await removeRow(tx, principal.orgId, table, id);
          if (name === null) throw notFound();
          await recordAudit(tx, principal.orgId, { ...origin, action, target: { id, name } });
        }),
      );
      return { status: 204 };
    },
  });
}
