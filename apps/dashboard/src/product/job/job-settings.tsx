import { LIMITS } from '@jobline/contracts';
import { type ReactNode, useEffect, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { Field, Input } from '../../ui/index.js';
import { retriesError } from '../message/delivery-fields.js';

/** The settings of a job as texts. An empty text means that the setting is not set. */
export interface SettingValues {
  max_retries: string;
  /** Separated by spaces or commas. */
  tags: string;
  priority: string;
  limit: string;
  key: string;
  callback_url: string;
}

export const NEW_SETTINGS: SettingValues = {
  max_retries: '3',
  tags: '',
  priority: '0',
  limit: '',
  key: '',
  callback_url: '',
};

/** The settings in the format of the API. */
export function settingsOf({ max_retries, priority, tags, limit, key, callback_url }: SettingValues) {
  return {
    max_retries: Number(max_retries),
    priority: Number(priority),
    tags: tags.split(/[\s,]+/).filter((tag) => tag !== ''),
    limit: limit.trim() || null,
    key: key || null,
    callback_url: callback_url.trim() || null,
  };
}

interface JobSettingsProps<T extends SettingValues> {
  form: UseFormReturn<T>;
  /** A field next to that of the retries. */
  time?: ReactNode;
  /** A field that few jobs need. */
  expiry?: ReactNode;
}

/** The settings that few jobs need. */
const MORE = ['priority', 'limit', 'key', 'callback_url', 'expires_at'] as const;

/** The fields for the settings of a job. Those of MORE are shown if one of them is set or has an error. */
export function JobSettings<T extends SettingValues>({ time, expiry, ...props }: JobSettingsProps<T>) {
  // A part of T, by its bound, and what `expiry` is for.
  const form = props.form as unknown as UseFormReturn<SettingValues & { expires_at?: string | null }>;
  const { errors } = form.formState;
  const [isOpen, setOpen] = useState(() => form.getValues(MORE).some((value) => value && value !== '0'));
  // The first error gets the focus. It may be that of another field.
  const [first] = Object.keys(errors);
  const isHidden = MORE.some((name) => errors[name]);
  const failed = MORE.find((name) => name === first);
  const { setFocus } = form;
  useEffect(() => {
    if (isHidden) setOpen(true);
  }, [isHidden]);
  useEffect(() => {
    // A field cannot get the focus before it is shown.
    if (isOpen && failed) setFocus(failed);
  }, [isOpen, failed, setFocus]);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Retries" error={errors.max_retries?.message} hint={`0 to ${LIMITS.maxRetries}.`}>
          <Input inputMode="numeric" {...form.register('max_retries', { validate: (n) => retriesError(n) ?? true })} />
        </Field>
        {time}
        <Field label="Tags" error={errors.tags?.message} hint="Separate them by commas.">
          <Input exact {...form.register('tags')} />
        </Field>
      </div>
      <details
        open={isOpen}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        className="rounded-card border border-line px-4 py-3"
      >
        <summary className="cursor-pointer text-body font-medium">
          More: priority, limit, key, {expiry && 'expiry, '}callback URL
        </summary>
        <div className="mt-4 grid gap-4 sm:grid-cols-2">
          <Field
            label="Priority"
            error={errors.priority?.message}
            hint={`0 to ${LIMITS.maxPriority}. Higher runs first.`}
          >
            <Input inputMode="numeric" {...form.register('priority')} />
          </Field>
          <Field label="Limit" error={errors.limit?.message} hint="The name of a limit.">
            <Input exact {...form.register('limit')} />
          </Field>
          <Field label="Key" error={errors.key?.message} hint="For limits per key: a customer, an account.">
            <Input exact {...form.register('key')} />
          </Field>
          {expiry}
          <Field label="Callback URL" error={errors.callback_url?.message} hint="Called when a job has finished.">
            <Input exact inputMode="url" {...form.register('callback_url')} />
          </Field>
        </div>
      </details>
    </>
  );
}
