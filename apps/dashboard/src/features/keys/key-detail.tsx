import type { ApiKey } from '@jobline/client';
import { Fact, Time } from '../../ui/index.js';
import { groupsOf } from './model.js';

interface KeyDetailProps {
  of: ApiKey;
  creator: string;
  /** The key that has replaced it, if it is among the loaded ones. */
  replacement: ApiKey | undefined;
}

/** The details of a key: each scope, all job types, and its times. */
export function KeyDetail({ of, creator, replacement }: KeyDetailProps) {
  const { name, scopes, types, created_at: createdAt, expires_at: expiresAt, last_used_at: lastUsedAt } = of;
  return (
    <section aria-label={name} className="border-t border-line p-4 sm:pl-10">
      <dl className="grid max-w-3xl gap-x-6 gap-y-1 text-body leading-6 max-sm:[&>dd]:mb-2 sm:grid-cols-[6rem_1fr] sm:gap-y-3 [&>dt]:text-meta [&>dt]:leading-6">
        <Fact name="Scopes">
          <ul>
            {groupsOf(scopes)
              .flatMap((group) => group.scopes)
              .map(({ scope, sentence }) => (
                <li key={scope}>
                  <span className="font-mono text-mono">{scope}</span> <span className="text-muted">{sentence}</span>
                </li>
              ))}
          </ul>
        </Fact>
        <Fact name="Job types">
          {types === null ? (
            'all'
          ) : types.length === 0 ? (
            'none'
          ) : (
            <span className="font-mono text-mono">{types.join(', ')}</span>
          )}
        </Fact>
        <Fact name="Created">
          <Time value={createdAt} form="full" /> by {creator === 'You' ? 'you' : creator}
        </Fact>
        <Fact name="Last used">
          <Time value={lastUsedAt} form="full" unknown="never" />
        </Fact>
        <Fact name="Expires">
          <Time value={expiresAt} form="full" unknown="never" />
        </Fact>
        {replacement && (
          <Fact name="Replaced by">
            <span className="font-mono text-mono">{replacement.prefix}…</span>
          </Fact>
        )}
      </dl>
    </section>
  );
}
