import { useEffect, useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useDraft } from '../../drafts.js';
import { showErrors } from '../../forms.js';
import { Button, Callout, Copy, Sheet } from '../../ui/index.js';
import { curlOf } from './curl.js';
import { NewJobFields } from './new-job-fields.js';
import { type JobForm, NEW_JOB, payloadFault, type Submission, submissionOf } from './submission.js';

export interface NewJobSheetProps {
  open: boolean;
  onClose: () => void;
  submit: (body: Submission) => Promise<void>;
}

/** Writes a job. What is typed is kept until it is sent or thrown away. */
export function NewJobSheet({ open, onClose, submit }: NewJobSheetProps) {
  const draft = useDraft<JobForm>('job', NEW_JOB);
  const form = useForm<JobForm>({ defaultValues: draft.value });
  const [refusal, setRefusal] = useState<string | null>(null);
  const formId = useId();
  const { set } = draft;
  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ values, name }) => name !== undefined && set(values),
      }),
    [form, set],
  );

  const begin = () => {
    draft.clear();
    form.reset(NEW_JOB);
    setRefusal(null);
  };
  const send = form.handleSubmit(async (values) => {
    setRefusal(null);
    try {
      await submit(submissionOf(values));
      begin();
      onClose();
    } catch (error) {
      setRefusal(showErrors(form, error, ({ path }) => path.split('.')[0] ?? path));
    }
  });

  return (
    <Sheet
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="New job"
      description="It is stored at once, and the next free worker runs it."
      footer={
        <>
          {draft.isDirty && (
            <Button variant="ghost" className="mr-auto" onClick={begin}>
              Discard draft
            </Button>
          )}
          <CurlButton values={form.watch()} />
          <Button type="submit" form={formId} variant="primary" busy={form.formState.isSubmitting}>
            Submit job
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => void send(event)} className="flex flex-col gap-5">
        {refusal !== null && (
          <Callout tone="danger" role="alert">
            {refusal}
          </Callout>
        )}
        <NewJobFields form={form} />
      </form>
    </Sheet>
  );
}

/** Copies what the form would send, as soon as that can be written. */
function CurlButton({ values }: { values: JobForm }) {
  if (payloadFault(values.payload) !== null) {
    return <Button disabledReason="The payload is no JSON object yet.">Copy as curl</Button>;
  }
  return <Copy text={curlOf(location.origin, submissionOf(values))} label="Copy as curl" />;
}
