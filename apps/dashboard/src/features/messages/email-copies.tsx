import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { ControlField } from '../../shell/control-field.js';
import { Field, Input, linkClasses, TokenInput } from '../../ui/index.js';
import type { EmailDraft } from './draft.js';

const ID = 'email-copies';
/** What people put between addresses when they paste several. */
const BETWEEN_ADDRESSES = /[\s,;]/;

/** Whether the fields for copies are shown, and the button that shows them. They stay while one has a value or an error. */
export function useCopyFields(form: UseFormReturn<EmailDraft>) {
  const [isWanted, setIsWanted] = useState(false);
  const { cc, bcc, reply_to } = form.watch();
  const { errors } = form.formState;
  const isNeeded = cc.length + bcc.length > 0 || reply_to !== '' || errors.cc || errors.bcc || errors.reply_to;
  const isOpen = isWanted || Boolean(isNeeded);
  const toggle = isNeeded ? undefined : (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={isOpen ? ID : undefined}
      className={`hit ${linkClasses}`}
      onClick={() => setIsWanted(!isWanted)}
    >
      Cc, Bcc, Reply-To
    </button>
  );
  return { isOpen, toggle };
}

/** Further recipients, and the address for replies. */
export function CopyFields({ form }: { form: UseFormReturn<EmailDraft> }) {
  const error = form.formState.errors.reply_to?.message;
  return (
    <div id={ID} className="flex flex-col gap-4">
      <AddressesField form={form} name="cc" label="Cc" />
      <AddressesField form={form} name="bcc" label="Bcc" />
      <Field label="Reply-To" error={error} hint="Where replies go, if not to the sender.">
        <Input
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="Support <support@example.com>"
          {...form.register('reply_to')}
        />
      </Field>
    </div>
  );
}

interface AddressesFieldProps {
  form: UseFormReturn<EmailDraft>;
  name: 'cc' | 'bcc';
  label: string;
}

function AddressesField({ form, name, label }: AddressesFieldProps) {
  return (
    <ControlField control={form.control} name={name} label={label}>
      {(bound) => (
        <TokenInput
          {...bound}
          onChange={(value) => {
            form.clearErrors(name);
            bound.onChange(value);
          }}
          separator={BETWEEN_ADDRESSES}
          inputMode="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
    </ControlField>
  );
}
