import type { ApiKey } from '@jobline/client';
import { TriangleAlert } from 'lucide-react';
import { isExpired } from '../../product/api-key.js';
import { Time, TONE_TEXT, useNow } from '../../ui/index.js';

const SOON_MS = 7 * 24 * 3_600_000;

/** When a key expires: `never`, `in 3 d` with a warning, `Expired 2 h ago`, `Replaced; ends in 23 h`. */
export function KeyExpiry({ of }: { of: ApiKey }) {
  const now = useNow();
  const { expires_at: at, replaced_by: replacedBy } = of;
  if (at === null) return <span className="text-muted">never</span>;
  if (isExpired(of, now)) return <Words tone="failed" before={replacedBy ? 'Replaced; ended' : 'Expired'} at={at} />;
  if (replacedBy) return <Words tone="warning" before="Replaced; ends" at={at} />;
  if (Date.parse(at) - now < SOON_MS) return <Words tone="warning" at={at} />;
  return <Time value={at} className="text-muted" />;
}

function Words({ tone, before, at }: { tone: 'warning' | 'failed'; before?: string; at: string }) {
  return (
    <span className={`inline-flex max-w-full items-center gap-1.5 ${TONE_TEXT[tone]}`}>
      <TriangleAlert aria-hidden="true" size={14} className="shrink-0" />
      <span className="min-w-0 text-wrap">
        {before} <Time value={at} />
      </span>
    </span>
  );
}
