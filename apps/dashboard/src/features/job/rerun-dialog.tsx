import { REDACTED } from '@jobline/contracts';
import { useNavigate } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { PAYLOAD_RULES, PayloadField } from '../../product/job/job-fields.js';
import { payloadOf } from '../../product/job/payload.js';
import { useApi } from '../../services.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Callout, toast } from '../../ui/index.js';
import type { Job } from './model.js';

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
      fieldOf={({ path }) => path.replace(/[.[].*/, '')}
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
