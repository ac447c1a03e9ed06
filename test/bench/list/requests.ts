import type { Client } from 'pg';

/** A request of the list page. */
export interface Shape {
  what: string;
  path: string;
}

const LIMIT = 50;

/** The page as it opens, filtered, far down, and its figures. */
export async function requestsOf(client: Client, orgId: string): Promise<Shape[]> {
  const list = (query: string) => `/jobs?limit=${LIMIT}${query}`;
  const { rows } = await client.query<{ at: Date }>(
    'SELECT created_at AS at FROM jobs WHERE org_id = $1 ORDER BY created_at DESC OFFSET 900000 LIMIT 1',
    [orgId],
  );
  const deep = rows[0]?.at ?? new Date();
  return [
    { what: 'the newest jobs', path: list('') },
    { what: 'those that failed', path: list('&status=failed') },
    { what: 'those of one type', path: list('&type=send_sms') },
    { what: 'those that failed of one type', path: list('&status=failed&type=webhook') },
    { what: 'those behind 900,000 others', path: list(`&created_before=${deep.toISOString()}`) },
    { what: 'a filter that nothing fits', path: list('&type=nobody_has_it') },
    { what: 'the figures of 1 hour', path: '/stats/jobs?window=1h' },
    { what: 'the figures of 24 hours', path: '/stats/jobs?window=24h' },
    { what: 'the figures of 7 days', path: '/stats/jobs?window=7d' },
  ];
}
