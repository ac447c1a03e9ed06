import type { Settings } from '@jobline/client';
import { REDACT_LIMITS, REDACTED } from '@jobline/contracts';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { formatCount, isNumberText } from '../../format/index.js';
import { ControlField } from '../../shell/control-field.js';
import { TokenInput } from '../../ui/index.js';
import { keysDeletedBy, type RedactionValues, redactionValues, redactOf } from './model.js';
import { useChangeSettings } from './queries.js';
import { NumberField, SettingsSection } from './settings-section.js';

/** Which values of payloads are deleted, and when. */
export function RedactionSection({ redact }: { redact: Settings['redact'] }) {
  const change = useChangeSettings();
  const draft = useDraftForm<RedactionValues>('settings-redaction', redactionValues(redact));
  const { form } = draft;
  return (
    <SettingsSection
      title="Redaction"
      description="Values in payloads that no one needs after a job, such as card numbers."
      draft={draft}
      save={async (typed) => redactionValues((await change({ redact: redactOf(typed) })).redact)}
      questionOf={(typed) => {
        const keys = keysDeletedBy(redact, redactOf(typed));
        return keys.length === 0 ? null : { title: 'Delete these values?', text: effectOf(keys, typed.after_days) };
      }}
    >
      <ControlField
        control={form.control}
        name="payload_keys"
        label="Payload keys"
        hint={`At most ${REDACT_LIMITS.keys} names, such as card_number. Upper and lower case are different.`}
      >
        {(bound) => <TokenInput {...bound} />}
      </ControlField>
      <NumberField
        form={form}
        name="after_days"
        label="Days after the end of a job"
        hint={`0 to ${REDACT_LIMITS.afterDays}. With 0, the values are replaced as soon as a job has finished.`}
        validate={(text) => isNumberText(text) || `Enter a number of days, from 0 to ${REDACT_LIMITS.afterDays}.`}
        required
      />
      <p className="text-meta text-muted">
        From then on, the values of these keys are shown as {REDACTED}, at any depth of a payload. They are deleted from
        the database within an hour, which cannot be undone. A job with such a value cannot be retried any more. Copies
        in the emails, SMS and payments of the job are deleted too, but not what handlers write: results, files and
        logs. Handlers always get the real values.
      </p>
    </SettingsSection>
  );
}

function effectOf(keys: readonly string[], afterDays: string): string {
  const days = formatCount(Number(afterDays), 'day');
  const [earlier, later] =
    Number(afterDays) === 0
      ? ['have finished', 'when it finishes']
      : [`finished more than ${days} ago`, `${days} after its end`];
  const values = `The values of ${keys.map((key) => `“${key}”`).join(', ')}`;
  return `${values} are deleted in all jobs that ${earlier}, and in every other job ${later}. This cannot be undone, and a job with such a value cannot be retried any more.`;
}
