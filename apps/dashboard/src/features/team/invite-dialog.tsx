import type { InvitedRole } from '@jobline/contracts';
import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { FormDialog } from '../../shell/form-dialog.js';
import { Button, Field, Input, RadioGroup } from '../../ui/index.js';
import { InviteLink } from './invite-link.js';
import { INVITED_ROLE_OPTIONS } from './roles.js';
import { type NewInvite, useInvite } from './use-invites.js';

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const invite = useInvite();
  const [created, setCreated] = useState<NewInvite | null>(null);
  const form = useForm<{ email: string; role: InvitedRole }>({ defaultValues: { email: '', role: 'member' } });
  return (
    <FormDialog
      title="Invite someone"
      description="You get a link to pass on. It is valid for 72 hours."
      action="Create link"
      form={form}
      onClose={onClose}
      onSubmit={async (body) => setCreated(await invite(body))}
      result={
        created && {
          title: 'Invite link',
          body: <InviteLink invite={created} />,
          footer: (
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          ),
        }
      }
    >
      <Field label="Email" error={form.formState.errors.email?.message} required>
        <Input
          type="email"
          inputMode="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.register('email', { required: 'Enter the email address of the person to invite.' })}
        />
      </Field>
      <Controller
        control={form.control}
        name="role"
        render={({ field }) => (
          <RadioGroup label="Role" options={INVITED_ROLE_OPTIONS} value={field.value} onChange={field.onChange} />
        )}
      />
    </FormDialog>
  );
}
