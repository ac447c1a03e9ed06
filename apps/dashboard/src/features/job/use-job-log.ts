import type { Jobline, Schemas } from '@jobline/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useApi } from '../../services.js';

type Line = Schemas['LogEntry'];

export interface Reading {
  lines: readonly Line[];
  /** The cursor of the last line, for the parameter `after`. */
  cursor: string | null;
}

const PAGE_SIZE = 1_000;
const SHOW_EVERY_MS = 50;

/**
 * Loads a job's log from two sources: page by page (when the page opens and while the stream is not available) and from
 * the stream. Both deliver the same lines from the first line on, so the longer source is the log.
 */
export function useJobLog(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = ['job-log', id];
  const read = useQuery({
    queryKey,
    queryFn: () => readMore(api, id, queries.getQueryData<Reading>(queryKey)),
  });

  const streamed = useRef<Line[]>([]);
  const [shown, setShown] = useState<readonly Line[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const add = useCallback((line: Line) => {
    streamed.current.push(line);
    // Lines arrive in bursts of thousands, and the page renders once per burst.
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const received = streamed.current;
      setShown((now) => (received.length >= now.length ? [...received] : now));
    }, SHOW_EVERY_MS);
  }, []);

  /** The stream starts again with the first line. */
  const restart = useCallback(() => {
    streamed.current = [];
  }, []);

  const readSoFar = read.data?.lines ?? [];
  const lines = shown.length >= readSoFar.length ? shown : readSoFar;
  return { lines, read, add, restart, isKnown: lines.length > 0 || read.isSuccess };
}

/** Reads all lines after those that were read before. */
async function readMore(api: Jobline, id: string, previous: Reading | undefined): Promise<Reading> {
  let { lines, cursor }: Reading = previous ?? { lines: [], cursor: null };
  for (;;) {
    const query = { limit: PAGE_SIZE, detail: 'full' as const, ...(cursor !== null && { after: cursor }) };
    const { data, nextCursor } = await api.jobs.logs(id, query);
    cursor = nextCursor ?? cursor;
    if (data.length > 0) lines = [...lines, ...data];
    if (data.length < PAGE_SIZE) return { lines, cursor };
  }
}
