import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Api, type Schemas, take } from '../../api/api-client.js';
import { useApi } from '../../services.js';

type Line = Schemas['LogEntry'];

export interface Reading {
  lines: readonly Line[];
  /** Where it ends: what `after` takes. */
  cursor: string | null;
}

const PAGE = 1_000;
const SHOW_EVERY_MS = 50;

/**
 * A job's log, read twice: page by page when the page opens and whenever the stream does not come through, and as the
 * stream tells it. Both tell the same lines from the first one on, so the longer reading is the log.
 */
export function useJobLog(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = ['job-log', id];
  const read = useQuery({
    queryKey,
    queryFn: () => readOn(api, id, queries.getQueryData<Reading>(queryKey)),
  });

  const streamed = useRef<Line[]>([]);
  const [shown, setShown] = useState<readonly Line[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const add = useCallback((line: Line) => {
    streamed.current.push(line);
    // Lines come in bursts of thousands: the page is drawn once for each.
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const told = streamed.current;
      setShown((now) => (told.length >= now.length ? [...told] : now));
    }, SHOW_EVERY_MS);
  }, []);

  /** The stream tells it from the first line again. */
  const startAnew = useCallback(() => {
    streamed.current = [];
  }, []);

  const readSoFar = read.data?.lines ?? [];
  const lines = shown.length >= readSoFar.length ? shown : readSoFar;
  return { lines, read, add, startAnew, isKnown: lines.length > 0 || read.isSuccess };
}

/** What was read so far and all that has come since. */
async function readOn(api: Api, id: string, sofar: Reading | undefined): Promise<Reading> {
  let { lines, cursor }: Reading = sofar ?? { lines: [], cursor: null };
  for (;;) {
    const query = { limit: PAGE, detail: 'full' as const, ...(cursor !== null && { after: cursor }) };
    const call = api.GET('/jobs/{id}/logs', { params: { path: { id }, query } });
    const { response } = await call;
    const page = await take(call);
    cursor = response.headers.get('X-Next-Cursor') ?? cursor;
    if (page.length > 0) lines = [...lines, ...page];
    if (page.length < PAGE) return { lines, cursor };
  }
}
