import { LIMITS, REDACTED } from '@jobline/contracts';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { PAYLOAD_RULES, PayloadField } from '../../product/job/job-fields.js';
import { payloadOf } from '../../product/job/payload.js';
import { EXPIRY, RunAtField, TimeField } from '../../product/message/delivery-fields.js';
import { useApi, useServices } from '../../services.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { TextField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Callout, toast } from '../../ui/index.js';
import type { Job, JobResult } from './queries.js';

/** Submits a finished job again with a changed payload. */
export function RerunDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const rerun = useRerun(job.id);
  const form = useForm({ defaultValues: { payload: JSON.stringify(job.payload, null, 2) } });
  const isRedacted = form.watch('payload').includes(JSON.stringify(REDACTED));
  return (
    <FormDialog
      side="right"
      // Escape or a click outside must not discard what was typed.
      dismissable={!form.formState.isDirty}
      title={`Edit and run ${job.type} again`}
      description="A new job with this payload. It has the same type, retries, tags, limit, key and callback."
      action="Run again"
      form={form}
      onClose={onClose}
      onSubmit={async ({ payload }) => {
        await rerun(payloadOf(payload));
        onClose();
      }}
    >
      {isRedacted && (
        <Callout tone="warning">
          The values shown as {REDACTED} were deleted. Replace them, because the new job gets exactly this payload.
        </Callout>
      )}
      <PayloadField input={form.register('payload', PAYLOAD_RULES)} error={form.formState.errors.payload?.message} />
    </FormDialog>
  );
}

/** Submits a finished job again as a new job and opens it. Without a payload, it has the same one. */
export function useRerun(id: string): (payload?: Record<string, unknown>) => Promise<void> {
  const api = useApi();
  const keys = useIdempotencyKey('rerun');
  const navigate = useNavigate();
  return async (payload) => {
    const changes = payload && { payload };
    const rerun = await api.jobs.rerun(id, { ...changes, idempotencyKey: keys.of({ id, ...changes }) });
    keys.forget();
    toast.success('Submitted again as a new job');
    await navigate({ to: '/job/$id', params: { id: rerun.id } });
  };
}

interface RescheduleDialogProps {
  job: Job;
  result: JobResult;
  onChanged: () => void;
  onClose: () => void;
}

/** Changes when a pending job runs, how soon compared with others, and until when. */
export function RescheduleDialog({ job, result, onChanged, onClose }: RescheduleDialogProps) {
  const api = useApi();
  const [initial] = useState(() => ({
    run_at: Date.parse(result.run_at) > Date.now() ? result.run_at : null,
    expires_at: job.expires_at ?? null,
    priority: '',
  }));
  const form = useForm({ defaultValues: initial });
  return (
    <FormDialog
      title="Reschedule this job"
      description="Possible while the job is pending. If it starts first, nothing changes."
      action="Save"
      form={form}
      onClose={onClose}
      onSubmit={async ({ run_at, expires_at, priority }) => {
        const body = {
          ...(run_at !== initial.run_at && { run_at }),
          ...(expires_at !== initial.expires_at && { expires_at }),
          ...(priority.trim() !== '' && { priority: Number(priority) }),
        };
        if (Object.keys(body).length > 0) {
          await api.jobs.update(job.id, body).finally(onChanged);
          toast.success('The job is rescheduled');
        }
        onClose();
      }}
    >
      <RunAtField control={form.control} />
      <TimeField control={form.control} {...EXPIRY} />
      <TextField
        form={form}
        name="priority"
        label="Priority"
        hint={`0 to ${LIMITS.maxPriority}. Higher runs first. Leave empty to keep it.`}
        inputMode="numeric"
      />
    </FormDialog>
  );
}

/** Asks for confirmation, deletes a finished job, and opens the list of jobs. */
export function DeleteJobDialog({ job: { id, type }, onClose }: { job: Job; onClose: () => void }) {
  const { api, queries } = useServices();
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
