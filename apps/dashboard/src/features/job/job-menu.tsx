import type { Schemas } from '@jobline/client';
import { Braces, CalendarClock, Ellipsis, PencilLine, Play, SquareTerminal, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { curlOf } from '../../product/curl.js';
import { copyText, IconButton, Menu, toast, toastStore } from '../../ui/index.js';
import { DeleteJobDialog, RerunDialog, RescheduleDialog, useRerun } from './job-dialogs.js';
import type { Job, JobResult } from './queries.js';

interface JobMenuProps {
  job: Job;
  result: JobResult | undefined;
  refresh: () => void;
}

/** The menu with the actions that are needed less often. */
export function JobMenu({ job, result, refresh }: JobMenuProps) {
  const [dialog, setDialog] = useState<'rerun' | 'reschedule' | 'delete' | null>(null);
  const close = () => setDialog(null);
  const rerun = useRerun(job.id);
  const copy = async (text: string, what: string) => {
    if (await copyText(text)) toast.success(`${what} copied`);
    else toast.error('The browser did not allow copying');
  };
  const isFinished = job.status === 'done' || job.status === 'failed';
  const untilFinished = isFinished ? undefined : 'Possible when the job has finished.';
  return (
    <>
      <Menu
        trigger={<IconButton label="More" icon={<Ellipsis />} />}
        groups={[
          [
            {
              label: 'Run again',
              hint: untilFinished ?? 'A new job with the same payload',
              icon: <Play />,
              disabled: !isFinished,
              onSelect: () =>
                void rerun().catch((error: Error) =>
                  toast.error('The job was not submitted again', { detail: error.message }),
                ),
            },
            {
              label: 'Edit and run again…',
              hint: untilFinished ?? 'A new job with a changed payload',
              icon: <PencilLine />,
              disabled: !isFinished,
              onSelect: () => {
                // The error of a retry that was rejected would cover the submit button.
                toastStore.clear();
                setDialog('rerun');
              },
            },
            {
              label: 'Reschedule…',
              hint: job.status === 'pending' ? 'Change its time, expiry or priority' : 'Only for pending jobs.',
              icon: <CalendarClock />,
              disabled: job.status !== 'pending' || !result,
              onSelect: () => setDialog('reschedule'),
            },
          ],
          [
            {
              label: 'Copy as curl',
              hint: 'Submits the same job again, with the key in $JOBLINE_KEY',
              icon: <SquareTerminal />,
              onSelect: () => void copy(asCurl(job, location.origin), 'Curl command'),
            },
            {
              label: 'Copy as JSON',
              hint: 'The job with its result',
              icon: <Braces />,
              onSelect: () => void copy(asJson(job, result), 'Job'),
            },
          ],
          [
            {
              label: 'Delete job…',
              hint: untilFinished,
              icon: <Trash2 />,
              disabled: !isFinished,
              onSelect: () => setDialog('delete'),
            },
          ],
        ]}
      />
      {dialog === 'rerun' && <RerunDialog job={job} onClose={close} />}
      {dialog === 'reschedule' && result && (
        <RescheduleDialog job={job} result={result} onChanged={refresh} onClose={close} />
      )}
      {dialog === 'delete' && <DeleteJobDialog job={job} onClose={close} />}
    </>
  );
}

/** Returns a curl command that submits the same job again. */
export function asCurl({ type, payload, max_retries }: Schemas['Job'], origin: string): string {
  return curlOf(origin, { type, payload, ...(max_retries > 0 && { max_retries }) });
}

/** Returns the job with its result as JSON. */
function asJson(job: Schemas['Job'], result: Schemas['JobResult'] | undefined): string {
  return JSON.stringify({ ...job, ...(result && { ...result }) }, null, 2);
}
