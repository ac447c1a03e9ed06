import type { Command } from 'commander';
import type { ApiKey, NewApiKey } from '../../types.js';
import { type App, define, forEachId } from '../app.js';
import { collect, given, toFutureTime, toNumber } from '../command-options.js';
import { type Column, table } from '../format.js';

interface CreateFlags {
  scope?: ApiKey['scopes'];
  type?: string[];
  expiresAt?: string;
}

interface ChangeFlags extends CreateFlags {
  name?: string;
  allTypes?: true;
}

const COLUMNS: Column<ApiKey>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'NAME', value: ({ name }) => name },
  { head: 'PREFIX', value: ({ prefix }) => prefix },
  { head: 'LAST USED', value: ({ last_used_at }, style) => style.time(last_used_at) },
  { head: 'EXPIRES', value: ({ expires_at }, style) => style.time(expires_at) },
  { head: 'SCOPES', value: ({ scopes }) => scopes.join(' '), isFlexible: true },
  { head: 'TYPES', value: ({ types }) => (types === null ? 'all' : types.join(' ')), isFlexible: true },
];

export function addKeys(program: Command, app: App): void {
  const keys = define(program, 'keys', 'the API keys of programs; needs `jobline login`', 'jobline keys list');
  define(keys, 'list', 'list the API keys', 'jobline keys list').action(async () => {
    const { data } = await app.client().keys.list({ limit: 1_000 });
    app.out.show(data, (style) => table(style, data, COLUMNS));
  });
  define(
    keys,
    'create',
    'create an API key and print it once',
    'jobline keys create backend --scope jobs:read --expires-at 90d',
  )
    .argument('<name>', 'what it is for')
    .option('--scope <scope>', 'what it may do; may be repeated (default: jobs:read and jobs:write)', collect)
    .option('--type <type>', 'a job type that it may submit and see; may be repeated (default: all)', collect)
    .option('--expires-at <time>', 'when it ends: ISO, or from now on as in 90d', toFutureTime)
    .action(async (name: string, { scope: scopes, type: types, expiresAt: expires_at }: CreateFlags) => {
      showNew(app, await app.client().keys.create({ name, ...given({ scopes, types, expires_at }) }));
    });
  define(
    keys,
    'change',
    'change an API key',
    'jobline keys change 0199f2c4-5b1e-7000-8000-000000000000 --scope jobs:read',
  )
    .argument('<id>', 'the id of the key')
    .option('--name <name>', 'what it is for')
    .option('--scope <scope>', 'what it may do; may be repeated', collect)
    .option('--type <type>', 'a job type that it may submit and see; may be repeated', collect)
    .option('--all-types', 'it may submit and see all job types')
    .option('--expires-at <time>', 'when it ends: ISO, or from now on as in 90d', toFutureTime)
    .action(async (id: string, { name, scope: scopes, type, allTypes, expiresAt: expires_at }: ChangeFlags) => {
      const types = allTypes ? null : type;
      const key = await app.client().keys.change(id, given({ name, scopes, types, expires_at }));
      app.out.show(key, (style) => table(style, [key], COLUMNS));
    });
  define(
    keys,
    'rotate',
    'replace an API key and print the new one once',
    'jobline keys rotate 0199f2c4-5b1e-7000-8000-000000000000',
  )
    .argument('<id>', 'the id of the key')
    .option('--overlap-hours <hours>', 'how long the old key works, 0 to 168 (default: 24)', toNumber)
    .action(async (id: string, { overlapHours: overlap_hours }: { overlapHours?: number }) => {
      showNew(app, await app.client().keys.rotate(id, given({ overlap_hours })));
    });
  define(keys, 'revoke', 'revoke API keys', 'jobline keys revoke 0199f2c4-5b1e-7000-8000-000000000000')
    .argument('<id...>', 'the ids of keys')
    .action((ids: string[]) => {
      const { keys } = app.client();
      const revoke = (id: string) => keys.delete(id).then(() => ({ id, revoked: true }));
      return forEachId(app, ids, revoke, ({ id }) => `${id}  revoked`);
    });
}

function showNew(app: App, key: NewApiKey): void {
  app.out.show(key, () => key.key);
  app.out.note(`This is the API key ${key.id}. It is shown only now.`);
}
