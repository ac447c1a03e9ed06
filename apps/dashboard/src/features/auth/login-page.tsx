import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useApi } from '../../services.js';
import { safeRedirect, useSignIn } from '../../session/use-session.js';
import { buttonClasses, Field, inTextClasses, linkClasses, PasswordInput } from '../../ui/index.js';
import { AuthCard, AuthForm, EmailField, emailRequired, required } from './auth-form.js';

const route = getRouteApi('/entrance/login');

export function LoginPage() {
  return route.useSearch().forgot ? <Forgot /> : <Login />;
}

function Login() {
  const { next } = route.useSearch();
  const api = useApi();
  const signIn = useSignIn();
  const form = useForm({ defaultValues: { email: '', password: '' } });
  return (
    <AuthCard
      title="Sign in to Jobline"
      description={next && next !== '/' ? 'After signing in, you return to the page that you opened.' : undefined}
      below={
        <>
          No account yet?{' '}
          <Link to="/register" className={inTextClasses}>
            Register an organization
          </Link>
        </>
      }
    >
      <AuthForm
        form={form}
        focus="email"
        action="Sign in"
        onSubmit={async (values) => {
          const { token } = await api.auth.login(values);
          signIn(token, safeRedirect(next));
        }}
      >
        <EmailField input={form.register('email', emailRequired)} error={form.formState.errors.email} />
        <Field
          label="Password"
          error={form.formState.errors.password?.message}
          required
          aside={
            <Link to="/login" search={{ ...(next && { next }), forgot: 1 }} className={linkClasses}>
              Forgot password?
            </Link>
          }
        >
          <PasswordInput autoComplete="current-password" {...form.register('password', required('your password'))} />
        </Field>
      </AuthForm>
    </AuthCard>
  );
}

/** Requests a link to set a new password. The response is the same whether or not the address has an account. */
function Forgot() {
  const { next } = route.useSearch();
  const api = useApi();
  const [requestedFor, setRequestedFor] = useState<string | null>(null);
  const form = useForm({ defaultValues: { email: '' } });
  const back = (
    <Link to="/login" search={next ? { next } : {}} className={requestedFor === null ? linkClasses : buttonClasses()}>
      Back to sign-in
    </Link>
  );
  if (requestedFor !== null) {
    return (
      <AuthCard
        title="Check your email"
        description={
          <p role="status">
            If <span className="font-medium text-text wrap-anywhere">{requestedFor}</span> has an account, we have sent
            it a link to set a new password. The link is valid for one hour.
          </p>
        }
      >
        {back}
      </AuthCard>
    );
  }
  return (
    <AuthCard
      title="Set a new password"
      description="Enter your email address, and we will email you a link."
      below={back}
    >
      <AuthForm
        form={form}
        focus="email"
        action="Send the link"
        onSubmit={async (values) => {
          await api.call('forgotPassword', { body: values });
          setRequestedFor(values.email);
        }}
      >
        <EmailField input={form.register('email', emailRequired)} error={form.formState.errors.email} />
      </AuthForm>
    </AuthCard>
  );
}
