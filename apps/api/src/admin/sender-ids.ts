import { AppError, SENDER_ID_STATUSES, type SenderIdStatus } from '@jobline/contracts';
import { approveSenderId, type Db, listSenderIdsOfAll, type OperatorSenderIdRow, rejectSenderId } from '@jobline/db';
import type { Express, Request, Response } from 'express';
import Joi from 'joi';
import type { OperatorAuth } from '../auth/operator-auth.js';
import type { AppSettings } from '../config.js';
import { invalidRequest, methodNotAllowed, notFound } from '../http/errors.js';
import { UUID_PATTERN } from '../http/fields.js';
import { type PageQuery, pageAnswer, pageQuery } from '../http/paging.js';
import { send } from '../http/send.js';
import { queryValidator, readQuery } from '../http/validate.js';

const SENDER_IDS_PATH = '/admin/sender-ids';

interface Filters {
  status: SenderIdStatus;
}

const validateQuery = queryValidator(
  pageQuery<Filters>(UUID_PATTERN, { status: Joi.valid(...SENDER_ID_STATUSES).default('pending') }),
);

interface Deps {
  db: Db;
  operatorAuth: OperatorAuth;
  settings: Pick<AppSettings, 'publicUrl'>;
}

/**
 * Adds the operators' endpoints for the sender ids of all organizations: list those that wait for approval, approve, and
 * remove. They do not exist while no operator is configured.
 */
export function mountSenderIds(app: Express, { db, operatorAuth, settings }: Deps): void {
  if (!operatorAuth.isConfigured) return;
  const ownOrigin = new URL(settings.publicUrl).origin;

  /** Throws unless the method is one of the path's methods and the request comes from the operator. */
  function authorize(req: Request, methods: readonly string[]): void {
    if (!methods.includes(req.method)) throw methodNotAllowed(methods.join(', '));
    operatorAuth.verify(req.headers, req.ip);
    if (req.method !== 'GET' && req.method !== 'HEAD') rejectOtherSites(req, ownOrigin);
  }

  app.route(SENDER_IDS_PATH).all(async (req: Request, res: Response) => {
    authorize(req, ['GET', 'HEAD']);
    const rows = await listSenderIdsOfAll(db, readPageQuery(req.url));
    await send(req, res, pageAnswer(req.url, rows, toOperatorSenderIdView));
  });

  app.route(`${SENDER_IDS_PATH}/:id/approve`).all(async (req: Request, res: Response) => {
    authorize(req, ['POST']);
    const row = await approveSenderId(db, idOf(req), { requestId: res.locals.auditedRequestId });
    if (!row) throw notFound();
    if (row === 'taken') throw takenByAnother();
    await send(req, res, { status: 200, body: toOperatorSenderIdView(row) });
  });

  app.route(`${SENDER_IDS_PATH}/:id`).all(async (req: Request, res: Response) => {
    authorize(req, ['DELETE']);
    if (!(await rejectSenderId(db, idOf(req), { requestId: res.locals.auditedRequestId }))) throw notFound();
    await send(req, res, { status: 204 });
  });
}

function readPageQuery(url: string): PageQuery & Filters {
  const { values, issues } = readQuery(url);
  const validated = validateQuery(values);
  const all = [...issues, ...('issues' in validated ? validated.issues : [])];
  if ('value' in validated && all.length === 0) return validated.value;
  throw invalidRequest(all);
}

function idOf(req: Request): string {
  const id = String(req.params.id);
  if (!UUID_PATTERN.test(id)) throw notFound();
  return id;
}

/**
 * Rejects requests from pages of other sites. A browser sends the operator's credentials with every request to this host,
 * and it also sends the site of the page, which a program does not.
 */
function rejectOtherSites({ headers }: Request, ownOrigin: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin === undefined && (site === undefined || site === 'none' || site === 'same-origin')) return;
  if (origin === ownOrigin) return;
  throw new AppError('forbidden', 'Requests from other sites are not allowed.');
}

function takenByAnother(): AppError {
  return new AppError('conflict', 'Another organization has this sender id; remove it there first.');
}

function toOperatorSenderIdView(row: OperatorSenderIdRow) {
  const { id, senderId, status, createdAt, orgId, orgName } = row;
  return { id, sender_id: senderId, status, created_at: createdAt.toISOString(), org: { id: orgId, name: orgName } };
}
