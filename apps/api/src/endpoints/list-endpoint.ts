import type { OrgId, Right } from '@jobline/contracts';
import type { Db, Page } from '@jobline/db';
import type { ObjectSchema, SchemaMap } from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { UUID_PATTERN } from '../http/fields.js';
import { type PageQuery, pageAnswer, pageQuery } from '../http/paging.js';
import { page, type ResponseSpecs } from '../http/responses.js';
import type { AppSettings } from '../settings.js';

interface List<Row, View, F> {
  path: string;
  summary: string;
  right: Right;
  /** What a page contains, for the API document. */
  description: string;
  view: ObjectSchema<View>;
  /** The filters in the query, in addition to `limit` and `cursor`. */
  filters?: SchemaMap;
  rows(db: Db, orgId: OrgId, query: PageQuery & F): Promise<Page<Row>>;
  toView(row: Row, settings: AppSettings): View;
}

/** Defines an endpoint that lists rows of the organization, page by page, newest first. */
export function defineListEndpoint<Row, View, F extends object = object>(list: List<Row, View, F>) {
  const { path, summary, right, description, view, filters, rows, toView } = list;
  const responses: ResponseSpecs = { 200: page(description, view) };
  return defineEndpoint({
    method: 'get',
    path,
    summary,
    auth: 'bearer',
    right,
    needs: ['db', 'settings'],
    query: pageQuery<F>(UUID_PATTERN, filters),
    responses,
    async handle({ deps: { db, settings }, principal, query, url }) {
      return pageAnswer(url, await rows(db, principal.orgId, query), (row) => toView(row, settings));
    },
  });
}
