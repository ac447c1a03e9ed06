import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { take } from '../api/api-client.js';
import { ApiError } from '../api/api-error.js';
import { useServices } from '../services.js';
import { Button, Callout, Dialog, Field, Input, PasswordInput } from '../ui/index.js';
import { readClaims } from './token.js';
import { ME_KEY, type Me, useIsExpired } from './use-session.js';

/** Over the page that somebody was at when the session ended. The page stays, and what was typed into it. */
export function SignInDialog() {
  return useIsExpired() && <SignInAgain />;
}

function SignInAgain() {
  const { api, session, queries } = useServices();
  const known = useQueryClient().getQueryData<Me>(ME_KEY);
  const [refusal, setRefusal] = useState<string | null>(null);
  const form = useForm({ defaultValues: { email: known?.user.email ?? '', password: '' } });
  const submit = form.handleSubmit(async ({ email, password }) => {
    setRefusal(null);
    const before = readClaims(session.token() ?? '');
    try {
      const body = { email, password, ...(before && { org_id: before.org }) };
      const { token } = await take(api.POST('/auth/login', { body }));
      if (readClaims(token)?.sub !== before?.sub) queries.clear();
      session.signIn(token);
    } catch (error) {
      setRefusal(refusalOf(error, known));
      form.setFocus('password');
    }
  });
  return (
    <Dialog
      open
      onOpenChange={() => undefined}
      dismissable={false}
      title="Your session has ended"
      description="Sign in again and go on where you were. Nothing on this page is lost."
      footer={
        <>
          <Button variant="ghost" onClick={session.signOut}>
            Sign out
          </Button>
          <Button type="submit" form="sign-in-again" variant="primary" busy={form.formState.isSubmitting}>
            Sign in
          </Button>
        </>
      }
    >
      <form id="sign-in-again" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        {refusal !== null && (
          <Callout tone="danger" role="alert">
            {refusal}
          </Callout>
        )}
        <Field label="Email" required>
          <Input type="email" autoComplete="username" readOnly={known !== undefined} {...form.register('email')} />
        </Field>
        <Field label="Password" required>
          <PasswordInput autoComplete="current-password" {...form.register('password')} />
        </Field>
      </form>
    </Dialog>
  );
}

/** The API does not tell a wrong password from an organization that one was removed from. */
function refusalOf(error: unknown, known: Me | undefined): string {
  if (known && error instanceof ApiError && error.code === 'invalid_credentials') {
    return `The password is wrong, or you are not in ${known.org.name} any more. If so, sign out and sign in anew.`;
  }
  return error instanceof Error ? error.message : String(error);
}
