import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { take } from '../../api/api-client.js';
import { useApi } from '../../services.js';
import { buttonClasses, focusHeading, linkClasses } from '../../ui/index.js';
import { AuthCard } from './auth-card.js';
import { AuthForm } from './auth-form.js';
import { EmailField, required } from './fields.js';

const route = getRouteApi('/entrance/login');

/** Asks for a link that sets a new password. The answer is the same whether or not the address has an account. */
export function Forgot() {
  const { next } = route.useSearch();
  const api = useApi();
  const [askedFor, setAskedFor] = useState<string | null>(null);
  const form = useForm({ defaultValues: { email: '' } });
  useEffect(() => {
    if (askedFor === null) form.setFocus('email');
    else focusHeading();
  }, [form, askedFor]);
  const back = (
    <Link to="/login" search={next ? { next } : {}} className={askedFor === null ? linkClasses : buttonClasses()}>
      Back to signing in
    </Link>
  );
  if (askedFor !== null) {
    return (
      <AuthCard
        title="Look into your mail"
        description={
          <p role="status">
            If <span className="font-medium text-text wrap-anywhere">{askedFor}</span> has an account here, a link is on
            its way that sets a new password. It is valid for an hour.
          </p>
        }
      >
        {back}
      </AuthCard>
    );
  }
  return (
    <AuthCard title="Set a new password" description="Tell us your address and we mail you a link." below={back}>
      <AuthForm
        form={form}
        action="Send the link"
        onSubmit={async (values) => {
          await take(api.POST('/auth/forgot', { body: values }));
          setAskedFor(values.email);
        }}
      >
        <EmailField
          registration={form.register('email', required('your email address'))}
          error={form.formState.errors.email?.message}
        />
      </AuthForm>
    </AuthCard>
  );
}
