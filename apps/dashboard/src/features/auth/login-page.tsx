import { getRouteApi, Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { useApi } from '../../services.js';
import { safeRedirect } from '../../session/safe-redirect.js';
import { useSignIn } from '../../session/use-sign-in.js';
import { Field, linkClasses, PasswordInput } from '../../ui/index.js';
import { AuthCard, inText } from './auth-card.js';
import { AuthForm } from './auth-form.js';
import { EmailField, emailRequired, required } from './fields.js';
import { Forgot } from './forgot.js';

const route = getRouteApi('/entrance/login');

export function LoginPage() {
  return route.useSearch().forgot ? <Forgot /> : <Login />;
}

function Login() {
  const { next } = route.useSearch();
  const api = useApi();
  const signIn = useSignIn();
  const form = useForm({ defaultValues: { email: '', password: '' } });
  const { errors } = form.formState;
  return (
    <AuthCard
      title="Sign in to Jobline"
      description={next && next !== '/' ? 'After signing in, you return to the page that you opened.' : undefined}
      below={
        <>
          No account yet?{' '}
          <Link to="/register" className={inText}>
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
          error={errors.password?.message}
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
