import type { Client } from 'pg';

/** A request of the list page. */
export interface Shape {
  what: string;
  path: string;
}

const LIMIT = 50;

/** The requests of the page when it opens, with filters, far down, and of its statistics. */
export async function requestsOf(client: Client, orgId: string): Promise<Shape[]> {
  const list = (query: string) => `/jobs?limit=${LIMIT}${query}`;
  const { rows } = await client.query<{ at: Date }>(
    'SELECT created_at AS at FROM jobs WHERE org_id = $1 ORDER BY created_at DESC OFFSET 900000 LIMIT 1',
    [orgId],
  );
  const deep = rows[0]?.at ?? new Date();
  return [
    { what: 'the newest jobs', path: list('') },
    { what: 'failed jobs', path: list('&status=failed') },
    { what: 'jobs of one type', path: list('&type=send_sms') },
    { what: 'failed jobs of one type', path: list('&status=failed&type=webhook') },
    { what: 'jobs after 900,000 newer ones', path: list(`&created_before=${deep.toISOString()}`) },
    { what: 'a filter without matches', path: list('&type=missing_type') },
    { what: 'the statistics of 1 hour', path: '/stats/jobs?window=1h' },
    { what: 'the statistics of 24 hours', path: '/stats/jobs?window=24h' },
    { what: 'the statistics of 7 days', path: '/stats/jobs?window=7d' },
  ];
}
