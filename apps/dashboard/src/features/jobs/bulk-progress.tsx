import { useEffect } from 'react';
import { LoadError } from '../../shell/load-error.js';
import { announce, Button, Panel, ProgressBar, StaleNote } from '../../ui/index.js';
import { type BulkAction, bulkSentence, processedOf, progressText } from './bulk-words.js';
import { useBulk } from './queries.js';

/** The progress of a bulk action, and its result. It stays visible while the user scrolls. */
export function BulkProgress({ id, onDismiss }: { id: string; onDismiss: () => void }) {
  const { bulk, stop } = useBulk(id);
  const { data, error } = bulk;
  const announcement = data && announcementOf(data);
  useEffect(() => {
    if (announcement) announce(announcement);
  }, [announcement]);
  if (!data) {
    return error ? (
      <Panel className="mb-6">
        <LoadError of={bulk} what="The bulk action" notFound="This bulk action does not exist." className="py-2!" />
        <Button className="mx-auto mt-2 block!" onClick={onDismiss}>
          Dismiss
        </Button>
      </Panel>
    ) : null;
  }
  const isRunning = data.status === 'running';
  const text = progressText(data);
  return (
    <section
      aria-label="Bulk action"
      className="sticky top-16 z-20 mb-6 flex flex-col gap-2 rounded-card border border-line bg-surface px-4 py-3 shadow-low md:top-4"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="min-w-0 text-body font-medium tabular-nums">{bulkSentence(data)}</p>
        {isRunning && bulk.failureReason && <StaleNote asOf={bulk.dataUpdatedAt} />}
        {/* One button, so that the focus stays when the action ends. */}
        <Button size="small" busy={stop.isPending} onClick={() => (isRunning ? stop.mutate() : onDismiss())}>
          {isRunning ? 'Stop' : 'Dismiss'}
        </Button>
      </div>
      {isRunning && (
        <>
          <ProgressBar label={bulkSentence(data)} value={processedOf(data)} max={data.total} text={text} />
          <p className="text-meta text-muted tabular-nums">{text}</p>
        </>
      )}
      {!isRunning && data.skipped > 0 && (
        <p className="text-meta text-muted">The state of the skipped jobs does not allow the action.</p>
      )}
    </section>
  );
}

const STEPS = 4;

/** Changes at most once per quarter of the work, so that a screen reader is not flooded. */
function announcementOf(bulk: BulkAction): string {
  const sentence = bulkSentence(bulk);
  if (bulk.status !== 'running') return sentence;
  const quarter = bulk.total === 0 ? 0 : Math.floor((processedOf(bulk) / bulk.total) * STEPS);
  return `${sentence}: ${(quarter * 100) / STEPS}%`;
}
