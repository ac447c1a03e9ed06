import { NAME_PATTERN } from '@jobline/contracts';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Field, Input } from '../../ui/index.js';

/** Goes to a job whose id is known. Whether there is such a job, its page says. */
export function OpenById({ className }: { className?: string }) {
  const navigate = useNavigate();
  const [error, setError] = useState<string>();
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        const id = String(new FormData(event.currentTarget).get('id')).trim();
        if (NAME_PATTERN.test(id)) void navigate({ to: '/job/$id', params: { id } });
        else setError(id === '' ? 'Paste an id first.' : 'No job can have that id.');
      }}
    >
      <Field label="Open by id" hideLabel error={error}>
        <Input
          name="id"
          mono
          placeholder="Open by id…"
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="go"
          onChange={() => setError(undefined)}
        />
      </Field>
    </form>
  );
}
