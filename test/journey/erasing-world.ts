import { createCatalogue, defineHandler } from '@jobline/handlers';
import { type Call, createWorld, type Person, register, until, type World } from '../harness/index.js';
import { CALLBACKS, sendgridAt, takesEmail } from '../messages/support.js';

export const ADDRESS = 'ada.erased@example.com';
export const LATER = { run_at: new Date(Date.now() + 3_600_000).toISOString() };
export const email = (to: string, more = {}) => ({ to, subject: 'Hi', body: `Dear ${to}`, ...more });

/** An API and a worker that send emails by SendGrid, for tests of erasures. */
export interface ErasingWorld extends World {
  call: Call;
  sendgrid: Awaited<ReturnType<World['receiver']>>;
  /** The signal of the latest run of an `endless` job. */
  endless(): AbortSignal | undefined;
  person(): Promise<Person>;
}

export async function createErasingWorld(): Promise<ErasingWorld> {
  let signal: AbortSignal | undefined;
  const world = await createWorld();
  const sendgrid = await world.receiver(takesEmail);
  const providers = sendgridAt(sendgrid.url);
  const api = await world.api({ settings: { callbacks: CALLBACKS }, providers });
  const endless = defineHandler({
    type: 'endless',
    run(_payload, ctx) {
      signal = ctx.signal;
      return new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)));
    },
  });
  const echo = defineHandler<{ value: string }>({
    type: 'echo',
    async run({ value }, { log, saveArtifact }) {
      log('info', `echo ${value}`);
      await saveArtifact({ name: 'out.txt', contentType: 'text/plain', bytes: Buffer.from(value) });
      return { value };
    },
  });
  const catalogue = createCatalogue([...createCatalogue().values(), endless, echo]);
  await world.worker({ catalogue, providers });
  return { ...world, call: api.call, sendgrid, endless: () => signal, person: () => register(api.call) };
}

/** Requests an erasure, and returns it when it is done. */
export async function erased(person: Person, body: object): Promise<Record<string, unknown>> {
  const answer = await person.post('/org/erasures', body);
  if (answer.status !== 202) throw new Error(`POST /org/erasures: ${answer.status} ${answer.text}`);
  return until('the erasure to end', async () => {
    const { body: erasure } = await person.get(`/org/erasures/${answer.body.id}`);
    return erasure.status === 'done' && erasure;
  });
}

/** The columns of the database that contain a text, or its bytes. */
export async function columnsWith({ db }: World, text: string): Promise<string[]> {
  const columns = await db.$queryRaw<{ table: string; column: string }[]>`
    SELECT table_name AS table, column_name AS column FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name NOT LIKE '\\_%'`;
  const found: string[] = [];
  for (const { table, column } of columns) {
    const [row] = await db.$queryRawUnsafe<{ n: number }[]>(
      `SELECT count(*)::int AS n FROM "${table}" WHERE strpos(lower("${column}"::text), $1) > 0
        OR strpos("${column}"::text, $2) > 0`,
      text.toLowerCase(),
      Buffer.from(text).toString('hex'),
    );
    if (row?.n) found.push(`${table}.${column}`);
  }
  return found;
}
