import type { ApiKey } from '@jobline/client';
import { KEY_LIMITS } from '@jobline/contracts';
import { useForm } from 'react-hook-form';
import { formatCount, formatMoment, isNumberText } from '../../format/index.js';
import { Field, Input } from '../../ui/index.js';
import { KeyDialog } from './key-dialog.js';
import { useRotateKey } from './queries.js';

/** Asks for how long the old key continues to work, and shows the new one. */
export function RotateKey({ rotated, onClose }: { rotated: ApiKey; onClose: () => void }) {
  const { id, name, prefix, expires_at: expiresAt } = rotated;
  const rotate = useRotateKey(id);
  const form = useForm({ defaultValues: { overlap_hours: String(KEY_LIMITS.usualOverlapHours) } });
  const hours = Number(form.watch('overlap_hours'));
  return (
    <KeyDialog
      title={`Rotate “${name}”?`}
      description={
        <>
          You get a new key with the same name, scopes, job types and expiry. The old key{' '}
          <span className="font-mono">{prefix}…</span> continues to work during the overlap, so that programs can change
          to the new one.
        </>
      }
      action="Rotate"
      form={form}
      onClose={onClose}
      make={({ overlap_hours: overlap }) => rotate(Number(overlap))}
      note={
        hours === 0
          ? 'The old key is rejected from now on.'
          : `The old key works for another ${formatCount(hours, 'hour')}${expiresAt ? ', unless it expires before' : ''}.`
      }
    >
      <Field
        label="Overlap in hours"
        hint={`0 to ${KEY_LIMITS.overlapHours}. With 0, the old key is rejected within five seconds.${
          expiresAt ? ` Both keys expire on ${formatMoment(expiresAt)} at the latest.` : ''
        }`}
        error={form.formState.errors.overlap_hours?.message}
        required
      >
        <Input
          inputMode="numeric"
          autoComplete="off"
          {...form.register('overlap_hours', {
            validate: (text) => isNumberText(text) || 'Enter a number of hours, such as 24.',
          })}
        />
      </Field>
    </KeyDialog>
  );
}
