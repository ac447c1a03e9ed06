import { Braces, CalendarClock, Ellipsis, PencilLine, Play, SquareTerminal, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { curlOf } from '../../product/curl.js';
import { copyText, IconButton, Menu, toast } from '../../ui/index.js';
import { DeleteJobDialog, RerunDialog, RescheduleDialog, useRerun } from './job-dialogs.js';
import { isFinished, type Job, type JobResult } from './queries.js';

/** The menu with the actions that are needed less often. */
export function JobMenu({ job, result, refresh }: { job: Job; result: JobResult | undefined; refresh: () => void }) {
  const [dialog, setDialog] = useState<'rerun' | 'reschedule' | 'delete' | null>(null);
  const close = () => setDialog(null);
  const rerun = useRerun(job.id);
  const copy = async (text: string, what: string) => {
    if (await copyText(text)) toast.success(`${what} copied`);
    else toast.error('The browser did not allow copying');
  };
  const untilFinished = isFinished(job) ? undefined : 'Possible when the job has finished.';
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
              disabled: !isFinished(job),
              onSelect: () =>
                void rerun().catch((error: Error) =>
                  toast.error('The job was not submitted again', { detail: error.message }),
                ),
            },
            {
              label: 'Edit and run again…',
              hint: untilFinished ?? 'A new job with a changed payload',
              icon: <PencilLine />,
              disabled: !isFinished(job),
              onSelect: () => {
                // The error of a retry that was rejected would cover the submit button.
                toast.clear();
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
              onSelect: () => void copy(JSON.stringify({ ...job, ...result }, null, 2), 'Job'),
            },
          ],
          [
            {
              label: 'Delete job…',
              hint: untilFinished,
              icon: <Trash2 />,
              disabled: !isFinished(job),
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
export function asCurl({ type, payload, max_retries }: Job, origin: string): string {
  return curlOf(origin, { type, payload, ...(max_retries > 0 && { max_retries }) });
}
