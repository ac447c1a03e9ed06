import type { OrgId, TemplateKind } from '@jobline/contracts';
import { type Db, findTemplateByName, isDomainVerified, isSenderIdRegistered, secretNames } from '@jobline/db';
import { readBeforeEffect } from './before-effect.js';
import type { TemplateSource } from './fill-template.js';

/** The stored data of an organization that its messages and webhooks depend on. */
export interface Lookups {
  isDomainVerified(orgId: OrgId, domain: string): Promise<boolean>;
  isSenderIdRegistered(orgId: OrgId, senderId: string): Promise<boolean>;
  findTemplate(orgId: OrgId, kind: TemplateKind, name: string): Promise<TemplateSource | null>;
  secretNames(orgId: OrgId): Promise<ReadonlySet<string>>;
}

export function createLookups(db: Db): Lookups {
  return {
    isDomainVerified: (orgId, domain) => isDomainVerified(db, orgId, domain),
    isSenderIdRegistered: (orgId, senderId) => isSenderIdRegistered(db, orgId, senderId),
    findTemplate: (orgId, kind, name) => findTemplateByName(db, orgId, kind, name),
    secretNames: (orgId) => secretNames(db, orgId),
  };
}

/** The same lookups for attempts of jobs: an outage postpones the attempt. */
export function createJobLookups(db: Db): Lookups {
  const lookups = createLookups(db);
  return {
    isDomainVerified: (...domain) => readBeforeEffect(() => lookups.isDomainVerified(...domain)),
    isSenderIdRegistered: (...senderId) => readBeforeEffect(() => lookups.isSenderIdRegistered(...senderId)),
    findTemplate: (...template) => readBeforeEffect(() => lookups.findTemplate(...template)),
    secretNames: (orgId) => readBeforeEffect(() => lookups.secretNames(orgId)),
  };
}

/** Lookups that query each item only once. For one request, which may hold a thousand messages. */
export function memoizeLookups(lookups: Lookups): Lookups {
  return {
    isDomainVerified: memoize(lookups.isDomainVerified),
    isSenderIdRegistered: memoize(lookups.isSenderIdRegistered),
    findTemplate: memoize(lookups.findTemplate),
    secretNames: memoize(lookups.secretNames),
  };
}

function memoize<A extends string[], T>(load: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  const results = new Map<string, Promise<T>>();
  return (...args) => {
    const key = JSON.stringify(args);
    const result = results.get(key) ?? load(...args);
    results.set(key, result);
    return result;
  };
}
