import type { Submission } from '../../api/submit-job.js';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { curlOf } from '../../product/curl.js';
import { JobFields } from '../../product/job/job-fields.js';
import { JobSettings, NEW_SETTINGS, type SettingValues, settingsOf } from '../../product/job/job-settings.js';
import { payloadError, payloadOf, SAMPLE_TYPE, sampleText } from '../../product/job/payload.js';
import { EXPIRY, RunAtField, TimeField } from '../../product/message/delivery-fields.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Button, Copy, useUndo } from '../../ui/index.js';
import type { SubmitJob } from './queries.js';

/** The form for a new job. Its draft is kept until it is submitted or discarded. */
export function NewJobSheet({ open, onClose, submit }: { open: boolean; onClose: () => void; submit: SubmitJob }) {
  const { form, values, isDirty, discard, finish } = useDraftForm<JobForm>('job', NEW_JOB);
  const undo = useUndo();
  if (!open) return null;
  return (
    <FormDialog
      side="right"
      title="New job"
      description="The job is stored immediately, and the next free worker runs it."
      action="Submit job"
      form={form}
      onClose={onClose}
      aside={
        <>
          {isDirty && (
            <Button variant="ghost" className="mr-auto" onClick={() => undo.offer('The draft is discarded', discard())}>
              Discard draft
            </Button>
          )}
          {payloadError(values.payload) === null ? (
            <Copy text={curlOf(location.origin, submissionOf(values))} label="Copy as curl" />
          ) : (
            <Button disabledReason="The payload is not a valid JSON object.">Copy as curl</Button>
          )}
        </>
      }
      onSubmit={async (typed) => {
        undo.clear();
        await submit(submissionOf(typed));
        if (finish(typed)) onClose();
      }}
    >
      <JobFields form={form} undo={undo} />
      <JobSettings
        form={form}
        time={<RunAtField control={form.control} />}
        expiry={<TimeField control={form.control} {...EXPIRY} />}
      />
    </FormDialog>
  );
}

/** The values of the form, as text. */
interface JobForm extends SettingValues {
  type: string;
  payload: string;
  run_at: string | null;
  expires_at: string | null;
}

const NEW_JOB: JobForm = {
  type: SAMPLE_TYPE,
  payload: sampleText(SAMPLE_TYPE),
  ...NEW_SETTINGS,
  run_at: null,
  expires_at: null,
};

/** Returns the submission for the API. The payload must be valid. */
export function submissionOf({ type, payload, run_at, expires_at, ...values }: JobForm): Submission {
  const { max_retries, priority, tags, limit, key, callback_url } = settingsOf(values);
  return {
    type: type.trim(),
    payload: payloadOf(payload),
    max_retries,
    ...(run_at !== null && { run_at }),
    ...(expires_at !== null && { expires_at }),
    ...(priority !== 0 && { priority }),
    ...(tags.length > 0 && { tags }),
    ...(limit !== null && { limit }),
    ...(key !== null && { key }),
    ...(callback_url !== null && { callback_url }),
  };
}
