import {
  type AlertKind,
  hasRight,
  PROBLEM_KINDS,
  type ProblemKind,
  type ProblemView,
  type Right,
} from '@jobline/contracts';
import { listProblems as listProblemRows, type ProblemRow } from '@jobline/db';
import { describeAlert } from '@jobline/engine';
import Joi from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { json } from '../http/response-specs.js';
import { text, timestamp, view } from '../http/view.js';

const problemView = view<ProblemView>('Problem', {
  kind: Joi.valid(...PROBLEM_KINDS),
  id: Joi.string().description('The kind of an alert, a job type, the id of a webhook, or the name of a limit.'),
  title: text().description('For people.'),
  since: timestamp(),
  url: Joi.string().description('The path of the page of the dashboard that explains it.'),
});

interface Words {
  /** Who may see it. */
  right: Right;
  title(row: ProblemRow): string;
  /** `id`: encoded for a URL. */
  url(id: string): string;
}

const WORDS: Readonly<Record<ProblemKind, Words>> = {
  alert: {
    right: 'settings',
    // The cast: the id of an alert is its kind.
    title: ({ id, value }) => `Alert: ${describeAlert({ kind: id as AlertKind, value, threshold: 0 }).what}`,
    url: (id) => (id === 'failure_rate' ? '/?view=failures' : '/?status=pending'),
  },
  type: {
    right: 'jobs',
    title: ({ id }) => `No live worker handles ${id}`,
    url: (id) => `/?status=pending&type=${id}`,
  },
  webhook: { right: 'webhooks', title: ({ name }) => `Deliveries to ${name} fail`, url: (id) => `/webhooks?id=${id}` },
  limit: { right: 'read_limits', title: ({ id }) => `Limit ${id} holds its jobs`, url: (id) => `/limits?name=${id}` },
};

function toProblemView(row: ProblemRow): ProblemView {
  const { kind, id, since } = row;
  const { title, url } = WORDS[kind];
  return { kind, id, title: title(row), since: since.toISOString(), url: url(encodeURIComponent(id)) };
}

/** What does not work now, as far as the user may see it: the most important kind first, then what has lasted longest. */
export const listProblems = defineEndpoint({
  method: 'get',
  path: '/org/problems',
  summary: 'List what does not work now',
  right: 'jobs',
  needs: ['db', 'liveTypes'],
  responses: { 200: json('The most important first.', Joi.array().items(problemView)) },
  async handle({ deps, principal: { orgId, role } }) {
    const live = (await deps.liveTypes()).filter(({ workers }) => workers > 0).map(({ type }) => type);
    const seen = (await listProblemRows(deps.db, orgId, live)).filter(({ kind }) => hasRight(role, WORDS[kind].right));
    const rank = ({ kind }: ProblemRow) => PROBLEM_KINDS.indexOf(kind);
    const sorted = seen.sort((a, b) => rank(a) - rank(b) || a.since.getTime() - b.since.getTime());
    return { status: 200, body: sorted.map(toProblemView) };
  },
});
