import { JoblineError } from '@jobline/client';
import { useSyncExternalStore } from 'react';
import { useForm } from 'react-hook-form';
import { useServices } from '../services.js';
import { FormDialog } from '../shell/form-dialog.js';
import { Field, Input, PasswordInput } from '../ui/index.js';
import { readClaims } from './session.js';
import { ME_KEY, type Me } from './use-session.js';

/** Opens over the current page when the session ends. The page and everything typed into it stay. */
export function SignInDialog() {
  const { session } = useServices();
  return useSyncExternalStore(session.subscribe, session.isExpired) && <SignInAgain />;
}

function SignInAgain() {
  const { api, session, queries } = useServices();
  const known = queries.getQueryData<Me>(ME_KEY);
  const form = useForm({ defaultValues: { email: known?.user.email ?? '', password: '' } });
  const signIn = async ({ email, password }: { email: string; password: string }) => {
    const before = readClaims(session.token() ?? '');
    try {
      const body = { email, password, ...(before && { org_id: before.org }) };
      const { token } = await api.auth.login(body);
      if (readClaims(token)?.sub !== before?.sub) queries.clear();
      session.signIn(token);
    } catch (error) {
      form.setFocus('password');
      throw new Error(messageOf(error, known), { cause: error });
    }
  };
  return (
    <FormDialog
      title="Your session has ended"
      description="Sign in again to continue. Nothing on this page is lost."
      form={form}
      action="Sign in"
      onSubmit={signIn}
      cancel="Sign out"
      onClose={session.signOut}
      dismissable={false}
    >
      <Field label="Email" required>
        <Input type="email" autoComplete="username" readOnly={known !== undefined} {...form.register('email')} />
      </Field>
      <Field label="Password" required>
        <PasswordInput autoComplete="current-password" {...form.register('password')} />
      </Field>
    </FormDialog>
  );
}

/** The API gives the same error for a wrong password and for a user who was removed from the organization. */
function messageOf(error: unknown, known: Me | undefined): string {
  if (known && error instanceof JoblineError && error.code === 'invalid_credentials') {
    return `The password is wrong, or you are no longer a member of ${known.org.name}. If so, sign out and sign in again.`;
  }
  return error instanceof Error ? error.message : String(error);
}
