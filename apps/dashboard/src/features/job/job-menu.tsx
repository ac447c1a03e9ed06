import type { Schemas } from '@jobline/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Braces, CalendarClock, Ellipsis, PencilLine, Play, SquareTerminal, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { curlOf } from '../../product/curl.js';
import { useApi } from '../../services.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { copyText, IconButton, Menu, toast, toastStore } from '../../ui/index.js';
import type { Job, JobResult } from './model.js';
import { RerunDialog, useRerun } from './rerun-dialog.js';
import { RescheduleDialog } from './reschedule-dialog.js';

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
      {dialog === 'delete' && <DeleteJob job={job} onClose={close} />}
    </>
  );
}

/** Asks for confirmation, deletes a finished job, and opens the list of jobs. */
function DeleteJob({ job: { id, type }, onClose }: { job: Job; onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={`Delete this ${type} job?`}
      verb="Delete"
      run={async () => {
        await api.jobs.delete(id);
        await navigate({ to: '/', search: {}, replace: true });
        queries.removeQueries({ queryKey: ['job', id] });
      }}
      onDone={() => toast.success('The job is deleted')}
      onClose={onClose}
    >
      Its payload, result, log and files are deleted now, and the text of its messages. They cannot be restored.
    </ConfirmDialog>
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
