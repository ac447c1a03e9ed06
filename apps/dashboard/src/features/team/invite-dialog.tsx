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
  const [made, setMade] = useState<NewInvite | null>(null);
  const form = useForm<{ email: string; role: InvitedRole }>({ defaultValues: { email: '', role: 'member' } });
  return (
    <FormDialog
      title="Invite someone"
      description="You get a link to hand over. It lasts 72 hours."
      action="Make the link"
      form={form}
      onClose={onClose}
      onSubmit={async (body) => setMade(await invite(body))}
      result={
        made && {
          title: 'The invite’s link',
          body: <InviteLink invite={made} />,
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
          {...form.register('email', { required: 'Enter the email address of whom you invite.' })}
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
