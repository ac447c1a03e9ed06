import { AppError, SENDER_ID_STATUSES, type SenderIdStatus } from '@jobline/contracts';
import { approveSenderId, type Db, listSenderIdsOfAll, rejectSenderId } from '@jobline/db';
import type { Express, Request, Response } from 'express';
import Joi from 'joi';
import type { Operators } from '../auth/operator-auth.js';
import type { AppSettings } from '../deps.js';
import { UUID_PATTERN } from '../http/fields.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../http/paging.js';
import { notFound } from '../http/http-errors.js';
import { queryRule, readQuery } from '../http/validate.js';
import { send } from '../http/send.js';
import { toOperatorSenderIdView } from '../views/sender-view.js';

export const SENDER_IDS_PATH = '/admin/sender-ids';

interface Query {
  status: SenderIdStatus;
  limit: number;
  cursor?: TimeCursor;
}

const query = queryRule(
  Joi.object<Query>({
    status: Joi.valid(...SENDER_ID_STATUSES).default('pending'),
    limit: limit(),
    cursor: timeCursor(UUID_PATTERN),
  }),
);

interface Deps {
  db: Db;
  operators: Operators;
  settings: Pick<AppSettings, 'publicUrl'>;
}

/**
 * The sender ids of all organizations, for operators alone: those that wait for approval, approval, and removal. Not there
 * at all while no operator is named.
 */
export function mountSenderIds(app: Express, { db, operators, settings }: Deps): void {
  if (!operators.areNamed) return;
  const ownOrigin = new URL(settings.publicUrl).origin;

  /** Lets the operator through, by one of the methods that the path has. */
  function admit(req: Request, methods: readonly string[]): void {
    if (!methods.includes(req.method)) {
      const allow = methods.join(', ');
      throw new AppError('method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
    }
    operators.admit(req.headers, req.ip);
    if (req.method !== 'GET' && req.method !== 'HEAD') refuseOtherSites(req, ownOrigin);
  }

  app.all(SENDER_IDS_PATH, async (req: Request, res: Response) => {
    admit(req, ['GET', 'HEAD']);
    const { items, next } = await listSenderIdsOfAll(db, readPage(req.url));
    const headers = nextPage(req.url, next && encodeTimeCursor(next));
    await send(req, res, { status: 200, body: items.map(toOperatorSenderIdView), headers });
  });

  app.all(`${SENDER_IDS_PATH}/:id/approve`, async (req: Request, res: Response) => {
    admit(req, ['POST']);
    const row = await approveSenderId(db, idOf(req), { requestId: res.locals.auditedRequestId });
    if (!row) throw notFound();
    if (row === 'taken') throw ofAnother();
    await send(req, res, { status: 200, body: toOperatorSenderIdView(row) });
  });

  app.all(`${SENDER_IDS_PATH}/:id`, async (req: Request, res: Response) => {
    admit(req, ['DELETE']);
    if (!(await rejectSenderId(db, idOf(req), { requestId: res.locals.auditedRequestId }))) throw notFound();
    await send(req, res, { status: 204 });
  });
}

function readPage(url: string): Query {
  const { values, faults } = readQuery(url);
  const read = query(values);
  const all = [...faults, ...('faults' in read ? read.faults : [])];
  if ('value' in read && all.length === 0) return read.value;
  throw new AppError('validation_failed', 'The request breaks a rule; see details.', { details: all });
}

function idOf(req: Request): string {
  const id = String(req.params.id);
  if (!UUID_PATTERN.test(id)) throw notFound();
  return id;
}

/**
 * A browser sends the operator's credentials with whatever another site's page posts here. It also says whose page that is,
 * which a program does not.
 */
function refuseOtherSites({ headers }: Request, ownOrigin: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin === undefined && (site === undefined || site === 'none' || site === 'same-origin')) return;
  if (origin === ownOrigin) return;
  throw new AppError('forbidden', 'Another site must not act for the operator.');
}

function ofAnother(): AppError {
  return new AppError('conflict', 'Another organization has this sender id; remove it there first.');
}
