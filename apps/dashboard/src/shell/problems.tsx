import type { Schemas } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatCount, formatMoment } from '../format/index.js';
import { useApi } from '../services.js';
import { announce, Popover, Time } from '../ui/index.js';
import { UrlLink } from './url-link.js';

const EVERY_MS = 60_000;

/**
 * What does not work now, in one line above every page: the most important problem, and a button that shows the others. It lies
 * over the upper margin of the page, so that nothing moves. Screen readers announce it when it changes.
 */
export function Problems() {
  const api = useApi();
  const [isOpen, setOpen] = useState(false);
  const { data = [] } = useQuery({
    queryKey: ['listProblems'],
    queryFn: ({ signal }) => api.call('listProblems', {}, { signal }),
    staleTime: EVERY_MS,
    refetchInterval: EVERY_MS,
  });
  const [first, ...others] = data;
  const sentence = first ? `${formatCount(data.length, 'problem')}: ${data.map(({ title }) => title).join(', ')}.` : '';
  useEffect(() => {
    if (sentence) announce(sentence);
  }, [sentence]);
  if (!first) return null;
  return (
    <section
      aria-label="Problems"
      className="absolute inset-x-0 top-0 z-10 flex h-6 items-center gap-2 bg-warning-tint px-4 text-meta text-warning md:px-8"
    >
      <TriangleAlert size={14} className="shrink-0" />
      <Problem problem={first} />
      {others.length > 0 && (
        <Popover
          label="Problems"
          open={isOpen}
          onOpenChange={setOpen}
          trigger={
            <button type="button" className="hit shrink-0 font-medium underline">
              {others.length} more
            </button>
          }
        >
          <ul className="flex flex-col gap-3 text-body">
            {data.map((problem) => (
              <li key={`${problem.kind} ${problem.id}`}>
                <Problem problem={problem} isWhole onOpen={() => setOpen(false)} />
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </section>
  );
}

interface ProblemProps {
  problem: Schemas['Problem'];
  /** Whether it may have several lines. */
  isWhole?: boolean;
  onOpen?: () => void;
}

function Problem({ problem: { title, since, url }, isWhole, onOpen }: ProblemProps) {
  return (
    <>
      <UrlLink url={url} title={title} onOpen={onOpen} className={isWhole ? 'font-medium wrap-anywhere' : 'truncate'}>
        {title}
      </UrlLink>
      <span className={isWhole ? 'block text-meta text-muted' : 'shrink-0 max-sm:hidden'}>
        since {isWhole ? formatMoment(since) : <Time value={since} />}
      </span>
    </>
  );
}
