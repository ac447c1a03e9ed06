import { LIMITS } from '@jobline/contracts';
import { useId, useState } from 'react';
import { showErrors } from '../../api/form-errors.js';
import type { Submission } from '../../api/submit-job.js';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { curlOf } from '../../product/curl.js';
import { JobFields } from '../../product/job/job-fields.js';
import { payloadError, payloadOf, SAMPLE_TYPE, sampleText } from '../../product/job/payload.js';
import { RunAtField, retriesError } from '../../product/message/delivery-fields.js';
import { Button, Callout, Copy, Dialog, Field, Input, useUndo } from '../../ui/index.js';

interface NewJobSheetProps {
  open: boolean;
  onClose: () => void;
  submit: (body: Submission) => Promise<void>;
}

/** The form for a new job. Its draft is kept until it is submitted or discarded. */
export function NewJobSheet({ open, onClose, submit }: NewJobSheetProps) {
  const { form, values, isDirty, discard, finish } = useDraftForm<JobForm>('job', NEW_JOB);
  const [formError, setFormError] = useState<string | null>(null);
  const undo = useUndo();
  const formId = useId();

  const send = form.handleSubmit(async (typed) => {
    setFormError(null);
    undo.clear();
    try {
      await submit(submissionOf(typed));
      if (finish(typed)) onClose();
    } catch (error) {
      setFormError(showErrors(form, error, ({ path }) => path.split('.')[0] ?? path));
    }
  });

  return (
    <Dialog
      side="right"
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="New job"
      description="The job is stored immediately, and the next free worker runs it."
      footer={
        <>
          {isDirty && (
            <Button
              variant="ghost"
              className="mr-auto"
              onClick={() => {
                setFormError(null);
                undo.offer('The draft is discarded', discard());
              }}
            >
              Discard draft
            </Button>
          )}
          <CurlButton values={values} />
          <Button type="submit" form={formId} variant="primary" busy={form.formState.isSubmitting}>
            Submit job
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => void send(event)} className="flex flex-col gap-5">
        {formError !== null && (
          <Callout tone="danger" role="alert">
            {formError}
          </Callout>
        )}
        <JobFields form={form} undo={undo} />
        <div className="grid gap-5 sm:grid-cols-2">
          <Field
            label="Retries"
            error={form.formState.errors.max_retries?.message}
            hint={`How often a failed job is retried, 0 to ${LIMITS.maxRetries}.`}
          >
            <Input
              inputMode="numeric"
              {...form.register('max_retries', { validate: (n) => retriesError(n) ?? true })}
            />
          </Field>
          <RunAtField control={form.control} />
        </div>
      </form>
    </Dialog>
  );
}

/** Copies a curl command for the form. It is disabled while the payload is invalid. */
function CurlButton({ values }: { values: JobForm }) {
  if (payloadError(values.payload) !== null) {
    return <Button disabledReason="The payload is not a valid JSON object.">Copy as curl</Button>;
  }
  return <Copy text={curlOf(location.origin, submissionOf(values))} label="Copy as curl" />;
}

/** The values of the form, as text. */
interface JobForm {
  type: string;
  payload: string;
  max_retries: string;
  run_at: string | null;
}

const NEW_JOB: JobForm = { type: SAMPLE_TYPE, payload: sampleText(SAMPLE_TYPE), max_retries: '3', run_at: null };

/** Returns the submission for the API. The payload must be valid. */
export function submissionOf({ type, payload, max_retries, run_at }: JobForm): Submission {
  return {
    type: type.trim(),
    payload: payloadOf(payload),
    max_retries: Number(max_retries),
    ...(run_at !== null && { run_at }),
  };
}
