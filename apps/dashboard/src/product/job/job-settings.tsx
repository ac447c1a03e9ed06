import { LIMITS } from '@jobline/contracts';
import { type ReactNode, useEffect, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { wordsOf } from '../../format/index.js';
import { Field, Input, type InputProps } from '../../ui/index.js';
import { retriesError } from '../message/delivery-fields.js';

/** The settings of a new job as texts. An empty text means that the setting is not set. */
export const NEW_SETTINGS = {
  max_retries: '3',
  /** Separated by spaces or commas. */
  tags: '',
  priority: '0',
  limit: '',
  key: '',
  callback_url: '',
};

export type SettingValues = typeof NEW_SETTINGS;

/** The settings in the format of the API. */
export function settingsOf({ max_retries, priority, tags, limit, key, callback_url }: SettingValues) {
  return {
    max_retries: Number(max_retries),
    priority: Number(priority),
    tags: wordsOf(tags),
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
  const field = (name: keyof SettingValues, label: string, hint: string, input?: InputProps) => (
    <Field label={label} error={errors[name]?.message} hint={hint}>
      <Input exact {...input} {...form.register(name)} />
    </Field>
  );
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Retries" error={errors.max_retries?.message} hint={`0 to ${LIMITS.maxRetries}.`}>
          <Input inputMode="numeric" {...form.register('max_retries', { validate: (n) => retriesError(n) ?? true })} />
        </Field>
        {time}
        {field('tags', 'Tags', 'Separate them by commas.')}
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
          {field('priority', 'Priority', `0 to ${LIMITS.maxPriority}. Higher runs first.`, { inputMode: 'numeric' })}
          {field('limit', 'Limit', 'The name of a limit.')}
          {field('key', 'Key', 'For limits per key: a customer, an account.')}
          {expiry}
          {field('callback_url', 'Callback URL', 'Called when a job has finished.', { inputMode: 'url' })}
        </div>
      </details>
    </>
  );
}
