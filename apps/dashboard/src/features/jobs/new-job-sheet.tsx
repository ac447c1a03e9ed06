import { LIMITS } from '@jobline/contracts';
import { useId, useState } from 'react';
import { showErrors } from '../../api/form-errors.js';
import type { Submission } from '../../api/submit-job.js';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { curlOf } from '../../product/curl.js';
import { JobFields } from '../../product/job/job-fields.js';
import { payloadError, payloadOf, SAMPLE_TYPE, sampleText } from '../../product/job/payload.js';
import { RunAtField, retriesError, TimeField } from '../../product/message/delivery-fields.js';
import { Button, Callout, Copy, Dialog, Field, Input, useUndo } from '../../ui/index.js';
import { tagsOf } from './model.js';

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
      setFormError(showErrors(form, error, ({ path }) => path.replace(/[.[].*/, '')));
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
          {OPTIONS.map(({ name, label, hint }) => (
            <Field key={name} label={label} hint={hint} error={form.formState.errors[name]?.message}>
              <Input exact {...form.register(name)} />
            </Field>
          ))}
          <TimeField control={form.control} name="expires_at" label="Expires" hint="No attempt starts after it." />
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

/** The inputs for what few jobs need. An empty one is left out. */
const OPTIONS = [
  { name: 'tags', label: 'Tags', hint: 'Separate them by commas.' },
  { name: 'key', label: 'Key', hint: 'For limits per key: a customer, an account.' },
  { name: 'limit', label: 'Limit', hint: 'The name of a limit.' },
  { name: 'priority', label: 'Priority', hint: `0 to ${LIMITS.maxPriority}. Higher runs first.` },
  { name: 'callback_url', label: 'Callback URL', hint: 'Called when the job has finished.' },
  { name: 'id', label: 'ID', hint: 'Your own. At most one job has it.' },
] as const;

/** The values of the form, as text. */
interface JobForm extends Record<(typeof OPTIONS)[number]['name'], string> {
  type: string;
  payload: string;
  max_retries: string;
  run_at: string | null;
  expires_at: string | null;
}

const NEW_JOB: JobForm = {
  type: SAMPLE_TYPE,
  payload: sampleText(SAMPLE_TYPE),
  max_retries: '3',
  run_at: null,
  expires_at: null,
  tags: '',
  key: '',
  limit: '',
  priority: '',
  callback_url: '',
  id: '',
};

/** Returns the submission for the API. The payload must be valid. */
export function submissionOf({ type, payload, max_retries, tags, priority, ...options }: JobForm): Submission {
  const set: { [Name in keyof typeof options]?: string } = Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()] as const] : [])),
  );
  return {
    type: type.trim(),
    payload: payloadOf(payload),
    max_retries: Number(max_retries),
    ...(tags.trim() && { tags: tagsOf(tags) }),
    ...(priority.trim() && { priority: Number(priority) }),
    ...set,
  };
}
