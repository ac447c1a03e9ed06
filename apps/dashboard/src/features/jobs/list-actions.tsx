import { JoblineError } from '@jobline/client';
import { BULK_LIMITS } from '@jobline/contracts';
import { useState } from 'react';
import { formatCount, formatNumber } from '../../format/index.js';
import { useApi } from '../../services.js';
import { Button, Confirm, SelectionBar, toast } from '../../ui/index.js';
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

/** The actions that are possible for the selected jobs, with the number of these jobs. */
export function SelectionActions({ selected, onClear, actions, onStart }: SelectionActionsProps) {
  const [asked, setAsked] = useState<'rerun' | 'delete' | null>(null);
  const finished = selected.filter(isFinished);
  const button = (verb: Verb, name: string) => {
    const count = selected.filter((job) => isEligible(verb, job)).length;
    return (
      count > 0 && (
        <Button size="small" busy={actions.busy === verb} onClick={() => actions.start(verb, selected)}>
          {name} {count}
        </Button>
      )
    );
  };
  return (
    <>
      <SelectionBar count={selected.length} onClear={onClear}>
        {button('retry', 'Retry')}
        {button('cancel', 'Cancel')}
        {finished.length > 0 &&
          (['rerun', 'delete'] as const).map((verb) => (
            <Button
              key={verb}
              size="small"
              disabledReason={finished.length > BULK_LIMITS.ids ? `At most ${BULK_LIMITS.ids} jobs.` : undefined}
              onClick={() => setAsked(verb)}
            >
              {BULK_WORDS[verb].name} {finished.length}…
            </Button>
          ))}
      </SelectionBar>
      <ConfirmAction actions={actions} />
      {asked && (
        <BulkDialog
          action={asked}
          filter={{ ids: finished.map(({ id }) => id) }}
          words="the selected jobs"
          onStart={onStart}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

function ConfirmAction({ actions: { asked, busy, forget, confirm } }: { actions: ListActions }) {
  const verb = asked?.verb ?? 'retry';
  const jobs = asked?.jobs ?? [];
  const many = formatCount(jobs.length, 'job');
  return (
    <Confirm
      open={asked !== null}
      onOpenChange={(open) => !open && forget()}
      title={verb === 'retry' ? `Retry ${many}?` : `Cancel ${many}?`}
      verb={verb === 'retry' ? `Retry ${many}` : `Cancel ${many}`}
      cancel="Keep as is"
      danger={verb === 'cancel'}
      busy={busy !== null}
      onConfirm={confirm}
    >
      {verb === 'cancel' && 'Waiting jobs will not run. Running jobs are asked to stop and may still finish as done.'}
      {verb === 'retry' && 'Each job runs again with all its retries.'}
    </Confirm>
  );
}

type Verb = 'retry' | 'cancel';

const PAST: Record<Verb, string> = { retry: 'retried', cancel: 'canceled' };
const MAX_WITHOUT_CONFIRMATION = 10;
const MAY_END_AS_DONE = 'The job was asked to stop. It may still finish as done.';

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
export function useListActions(add: (job: Job) => void, onDone: (result: SendResult) => void) {
  const api = useApi();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [busy, setBusy] = useState<Verb | null>(null);

  /** Returns the new status of the job. */
  const send = async (verb: Verb, job: Job) => {
    const { status } = await api.jobs[verb](job.id);
    // An event brings the other fields. If the event was faster, its state is newer and is kept.
    add({ ...job, status, ...(verb === 'retry' && { retries: 0 }) });
    return status;
  };
  const run = async ({ verb, jobs }: Asked) => {
    setBusy(verb);
    let stopping = 0;
    const byId = new Map(jobs.map((job) => [job.id, job]));
    const result = await sendEach([...byId.keys()], async (id) => {
      const job = byId.get(id);
      if (job && (await send(verb, job)) === 'processing') stopping++;
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
function report({ verb, jobs }: Asked, result: SendResult, stopping: number): void {
  const sentence = resultSentence(result, PAST[verb], stopping);
  if (result.failed.length > 0) toast.error(sentence, { detail: result.reason ?? undefined });
  else if (jobs.length === 1 && stopping > 0) toast.info('Cancel requested', { detail: MAY_END_AS_DONE });
  else if (jobs.length > 1 || result.changed.length > 0) toast.info(sentence);
}

/** Browsers allow six connections per host. One of them is used by the event stream. */
const CONCURRENCY = 6;

interface SendResult {
  /** The ids that the API accepted. */
  taken: string[];
  /** The ids of jobs whose status had changed before, or that no longer exist. */
  changed: string[];
  /** The ids whose request failed. */
  failed: string[];
  /** The error message of the first failed request. */
  reason: string | null;
}

/** Sends one request per id, six at a time. A failed request does not stop the others. */
export async function sendEach(ids: readonly string[], send: (id: string) => Promise<void>): Promise<SendResult> {
  const result: SendResult = { taken: [], changed: [], failed: [], reason: null };
  const waiting = [...ids];
  const sendNext = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await send(id);
        result.taken.push(id);
      } catch (error) {
        if (error instanceof JoblineError && (error.status === 409 || error.status === 404)) result.changed.push(id);
        else {
          result.failed.push(id);
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
export function resultSentence({ taken, changed, failed }: SendResult, past: string, stopping = 0): string {
  const completed = taken.length - stopping;
  const parts = [
    (completed > 0 || stopping + changed.length + failed.length === 0) && `${formatNumber(completed)} ${past}`,
    stopping > 0 && `${formatNumber(stopping)} asked to stop`,
    changed.length > 0 && `${formatNumber(changed.length)} had already changed`,
    failed.length > 0 && `${formatCount(failed.length, 'request')} failed`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}
