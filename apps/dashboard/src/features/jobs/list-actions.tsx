import { JoblineError } from '@jobline/client';
import { BULK_LIMITS } from '@jobline/contracts';
import { X } from 'lucide-react';
import { useState } from 'react';
import { formatCount, formatNumber } from '../../format/index.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { useApi } from '../../services.js';
import { Button, Confirm, IconButton, toast } from '../../ui/index.js';
import { BulkDialog } from './bulk-dialog.js';
import { BULK_WORDS } from './bulk-words.js';
import { isFinished, type Job } from './model.js';

interface SelectionActionsProps {
  selected: readonly Job[];
  onClear: () => void;
  actions: ListActions;
  /** Called with the id of a bulk action that has started. */
  onStart: (bulk: string) => void;
}

/** The possible actions for the selected jobs, with their numbers. The bar covers the page, so that nothing moves. */
export function SelectionActions({ selected, onClear, actions, onStart }: SelectionActionsProps) {
  const { asked } = actions;
  const { verb, jobs }: Asked = asked ?? { verb: 'retry', jobs: [] };
  const { ask, effect } = BULK_WORDS[verb];
  const question = ask(formatCount(jobs.length, 'job'));
  const [bulk, setBulk] = useState<'rerun' | 'delete' | null>(null);
  const finished = selected.filter(isFinished);
  const button = (verb: Verb) => {
    const count = selected.filter((job) => isEligible(verb, job)).length;
    return (
      count > 0 && (
        <Button size="small" busy={actions.busy === verb} onClick={() => actions.start(verb, selected)}>
          {BULK_WORDS[verb].name} {count}
        </Button>
      )
    );
  };
  const clear = { keys: 'Escape', label: 'Clear the selection', group: 'Jobs', run: onClear };
  useShortcut(clear, { enabled: selected.length > 0 });
  return (
    <>
      {selected.length > 0 && (
        <section
          aria-label="Selection"
          className="fixed inset-x-4 bottom-4 z-30 mx-auto flex w-fit max-w-[calc(100vw-2rem)] animate-fade flex-wrap items-center gap-2 rounded-card bg-surface py-2 pr-2 pl-4 shadow-pop md:left-60"
        >
          <span className="mr-2 text-body font-medium whitespace-nowrap tabular-nums">
            {formatNumber(selected.length)} selected
          </span>
          {button('retry')}
          {button('cancel')}
          {finished.length > 0 &&
            (['rerun', 'delete'] as const).map((verb) => (
              <Button
                key={verb}
                size="small"
                disabledReason={finished.length > BULK_LIMITS.ids ? `At most ${BULK_LIMITS.ids} jobs.` : undefined}
                onClick={() => setBulk(verb)}
              >
                {BULK_WORDS[verb].name} {finished.length}…
              </Button>
            ))}
          <IconButton
            label="Clear selection"
            tooltip="Clear selection (Esc)"
            icon={<X />}
            size="small"
            onClick={onClear}
          />
        </section>
      )}
      <Confirm
        open={asked !== null}
        onClose={actions.forget}
        title={`${question}?`}
        verb={question}
        cancel="Keep as is"
        danger={verb === 'cancel'}
        busy={actions.busy !== null}
        onConfirm={actions.confirm}
      >
        {effect}
      </Confirm>
      {bulk && (
        <BulkDialog
          action={bulk}
          filter={{ ids: finished.map(({ id }) => id) }}
          words="the selected jobs"
          onStart={onStart}
          onClose={() => setBulk(null)}
        />
      )}
    </>
  );
}

type Verb = 'retry' | 'cancel';

const PAST: Record<Verb, string> = { retry: 'retried', cancel: 'canceled' };
const MAX_WITHOUT_CONFIRMATION = 10;

export function isEligible(verb: Verb, job: Job): boolean {
  return verb === 'retry' ? job.status === 'failed' : !isFinished(job);
}

/** Starts an action for the eligible jobs. Does nothing if there are none. */
export type StartAction = (verb: Verb, of: readonly Job[]) => void;

interface Asked {
  verb: Verb;
  jobs: readonly Job[];
}

/** Retries and cancels jobs. More than ten jobs need a confirmation: `asked` is then set. */
export function useListActions(add: (job: Job) => void, onDone: (result: SendResult<Job>) => void) {
  const api = useApi();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [busy, setBusy] = useState<Verb | null>(null);

  const run = async ({ verb, jobs }: Asked) => {
    setBusy(verb);
    let stopping = 0;
    const result = await sendEach(jobs, async (job) => {
      const { status } = await api.jobs[verb](job.id);
      // An event brings the other fields. If the event was faster, its state is newer and is kept.
      add({ ...job, status, ...(verb === 'retry' && { retries: 0 }) });
      if (status === 'processing') stopping++;
    });
    setBusy(null);
    setAsked(null);
    report({ verb, jobs }, result, stopping);
    onDone(result);
  };

  return {
    asked,
    busy,
    forget: () => setAsked(null),
    confirm: () => asked && void run(asked),
    start(verb: Verb, of: readonly Job[]): void {
      const jobs = of.filter((job) => isEligible(verb, job));
      if (jobs.length === 0 || busy) return;
      if (jobs.length > MAX_WITHOUT_CONFIRMATION) setAsked({ verb, jobs });
      else void run({ verb, jobs });
    },
  };
}

export type ListActions = ReturnType<typeof useListActions>;

/** Reports the result. For a single accepted job there is no report, because its row shows the change. */
function report({ verb, jobs }: Asked, result: SendResult<Job>, stopping: number): void {
  const sentence = resultSentence(result, PAST[verb], stopping);
  if (result.failed.length > 0) toast.error(sentence, { detail: result.reason ?? undefined });
  else if (jobs.length === 1 && stopping > 0) {
    toast.info('Cancel requested', { detail: 'The job was asked to stop. It may still finish as done.' });
  } else if (jobs.length > 1 || result.changed.length > 0) toast.info(sentence);
}

/** Browsers allow six connections per host. One of them is used by the event stream. */
const CONCURRENCY = 6;

interface SendResult<T> {
  /** What the API accepted. */
  taken: T[];
  /** What had changed before, or no longer exists. */
  changed: T[];
  /** Those whose request failed. */
  failed: T[];
  /** The error message of the first failed request. */
  reason: string | null;
}

/** Sends one request for each, six at a time. A failed request does not stop the others. */
export async function sendEach<T>(all: readonly T[], send: (one: T) => Promise<void>): Promise<SendResult<T>> {
  const result: SendResult<T> = { taken: [], changed: [], failed: [], reason: null };
  const waiting = [...all];
  const sendNext = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      try {
        await send(one);
        result.taken.push(one);
      } catch (error) {
        if (error instanceof JoblineError && (error.status === 409 || error.status === 404)) result.changed.push(one);
        else {
          result.failed.push(one);
          result.reason ??= error instanceof Error ? error.message : String(error);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendNext));
  return result;
}

/**
 * Returns `7 retried, 2 had already changed, 1 request failed`. `stopping` is the number of jobs whose cancel request was
 * accepted and that still run.
 */
export function resultSentence(result: SendResult<unknown>, past: string, stopping = 0): string {
  const { taken, changed, failed } = result;
  const completed = taken.length - stopping;
  const parts = [
    (completed > 0 || stopping + changed.length + failed.length === 0) && `${formatNumber(completed)} ${past}`,
    stopping > 0 && `${formatNumber(stopping)} asked to stop`,
    changed.length > 0 && `${formatNumber(changed.length)} had already changed`,
    failed.length > 0 && `${formatCount(failed.length, 'request')} failed`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}
