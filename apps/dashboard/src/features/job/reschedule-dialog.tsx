import { LIMITS } from '@jobline/contracts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { RunAtField, TimeField } from '../../product/message/delivery-fields.js';
import { useApi } from '../../services.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Field, Input, toast } from '../../ui/index.js';
import type { Job, JobResult } from './model.js';

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
  const { errors } = form.formState;
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
      <TimeField
        control={form.control}
        name="expires_at"
        label="Expires"
        hint="No attempt starts at or after this time."
      />
      <Field
        label="Priority"
        error={errors.priority?.message}
        hint={`0 to ${LIMITS.maxPriority}. Higher runs first. Leave empty to keep it.`}
      >
        <Input inputMode="numeric" autoComplete="off" {...form.register('priority')} />
      </Field>
    </FormDialog>
  );
}
