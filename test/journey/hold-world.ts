import type { Limit } from '@jobline/client';
import { createCatalogue, defineHandler, HandlerError, Postponed } from '@jobline/handlers';
import { createWorld, type Person, register, submitJob, until, type World } from '../harness/index.js';

/** How an attempt of the handler ends; `wait`: not until the test changes it. */
export type Ending = 'done' | 'unavailable' | 'timeout' | 'refused' | 'error' | 'postponed' | 'wait';

/** Two workers whose jobs end as the test says. */
export interface HoldWorld {
  world: World;
  /** A new organization. */
  newPerson(): Promise<Person>;
  /** How attempts end. */
  ending: Ending;
  /** How those of single jobs end, instead. */
  endings: Map<string, Ending>;
  /** The names of the jobs whose attempts have started, in order. */
  started: string[];
  submit(person: Person, name: string, more?: object): Promise<string>;
  /** Submits one job after the other, each after the attempt of the one before has ended. Returns their ids. */
  endAs(person: Person, ending: Ending, names: readonly string[], more?: object): Promise<string[]>;
  /** The next probe of each limit that holds itself may start now, unless one runs. */
  makeProbesDue(person: Person): Promise<void>;
}

export const LIMIT = { types: ['called'], hold: { after: 3, probe_seconds: 3_600 } };

const ERRORS = {
  unavailable: 'provider_unavailable',
  timeout: 'timeout',
  refused: 'provider_rejected',
  error: 'handler_error',
} as const;

export async function createHoldWorld(): Promise<HoldWorld> {
  const world = await createWorld();
  const api = await world.api();
  const called = defineHandler<{ name: string }>({
    type: 'called',
    async run({ name }, { signal }) {
      own.started.push(name);
      const now = () => own.endings.get(name) ?? own.ending;
      await until('the attempt to end', () => now() !== 'wait' || signal.aborted);
      const ending = now();
      if (ending === 'postponed') throw new Postponed(3_600_000, 'not now');
      if (ending !== 'done' && ending !== 'wait') throw new HandlerError(ERRORS[ending], 'as the test wants');
    },
  });
  const other = defineHandler({ type: 'other', run: async () => undefined });
  for (let n = 0; n < 2; n++)
    await world.alone.worker({ catalogue: createCatalogue([called, other]), concurrency: 10, retryBaseMs: 3_600_000 });

  const own: HoldWorld = {
    world,
    newPerson: () => register(api.call),
    ending: 'done',
    endings: new Map(),
    started: [],
    submit: (person, name, more = {}) => submitJob(person, 'called', { name }, more),
    async endAs(person, ending, names, more) {
      const ids: string[] = [];
      for (const name of names) {
        own.endings.set(name, ending);
        const id = await own.submit(person, name, more);
        ids.push(id);
        await until(`an attempt of ${name} to end`, async () => {
          const { body } = await person.get(`/jobs/${id}/attempts`);
          return body.length > 0 && body.every(({ outcome }: { outcome: string }) => outcome !== 'running');
        });
      }
      return ids;
    },
    async makeProbesDue({ orgId }) {
      await world.db.$executeRaw`
        UPDATE limit_holds SET held_since = held_since - probe_seconds * interval '1 s', probed_at = probed_at - probe_seconds * interval '1 s'
        WHERE held_since IS NOT NULL AND org_id = ${orgId}::uuid`;
    },
  };
  return own;
}

export async function limitOf(person: Person, name = 'erp'): Promise<Limit> {
  const { body }: { body: Limit[] } = await person.get('/org/limits');
  const found = body.find((limit) => limit.name === name);
  if (!found) throw new Error(`there is no limit ${name}`);
  return found;
}

export const isHeld = async (person: Person, name = 'erp'): Promise<boolean> =>
  (await limitOf(person, name)).held_since !== null;
