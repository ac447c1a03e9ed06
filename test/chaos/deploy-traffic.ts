import { setInterval } from 'node:timers/promises';
import { createCatalogue, defineHandler, type Handler } from '@jobline/handlers';
import type { RunningWorker } from '@jobline/worker/start';
import Joi from 'joi';
import { type Person, until, type World } from '../harness/index.js';

const BATCH_MS = 200;

/** What callers submit: payloads of the old and of the new form, and jobs of a type that only one version has. */
const FORMS = {
  old: { type: 'invoice', payload: { order_id: 1 } },
  changed: { type: 'invoice', payload: { order: 1 } },
  gone: { type: 'gone', payload: {} },
  fresh: { type: 'fresh', payload: {} },
} as const;
type Form = keyof typeof FORMS;

interface Traffic {
  perSecond: number;
  /** The duration of each phase. */
  phaseMs: number;
}

/** Switches from a blue version of the handlers to a green one and back, while callers submit jobs continuously. Returns how many. */
export async function switchAndRollBack(world: World, person: Person, traffic: Traffic): Promise<number> {
  const invoice = (field: string) =>
    defineHandler({
      type: 'invoice',
      schema: Joi.object({ [field]: Joi.number().required() }),
      run: async () => field,
    });
  const only = (type: string) => defineHandler({ type, run: async () => type });
  const start = (...handlers: Handler[]): Promise<RunningWorker> =>
    world.alone.worker({ catalogue: createCatalogue(handlers), queues: ['io'] });
  const startBlue = () => start(invoice('order_id'), only('gone'));

  let forms: readonly Form[] = ['old', 'gone'];
  let isOpen = true;
  let submitted = 0;
  const submitting = submitAll();
  const phase = async (next: readonly Form[]) => {
    forms = next;
    const before = submitted;
    const wanted = (traffic.perSecond * traffic.phaseMs) / 1_000;
    await until('the jobs of the phase to be submitted', () => submitted >= before + wanted);
  };
  /** Until no job of these types waits or runs. Their callers submit the other form already. */
  const finished = (...types: string[]) =>
    until('the jobs of the version to finish', async () => {
      const left = await world.db.$queryRaw<unknown[]>`
        SELECT 1 FROM live_jobs j JOIN submitted_jobs s ON s.key = j.key
        WHERE j.type || coalesce((SELECT min(k) FROM json_object_keys(s.payload) AS k), '') = ANY (${types}::text[]) LIMIT 1`;
      return left.length === 0;
    });

  let blue = await startBlue();
  await phase(['old', 'gone']);
  const green = await start(invoice('order'), only('fresh'));
  await phase(['old', 'changed', 'gone', 'fresh']);
  await phase(['changed', 'gone', 'fresh']);
  await finished('invoiceorder_id');
  await blue.stop();
  // The jobs whose type is gone wait meanwhile.
  await phase(['changed', 'gone', 'fresh']);
  blue = await startBlue();
  await phase(['old', 'changed', 'gone', 'fresh']);
  await phase(['old', 'gone']);
  await finished('invoiceorder', 'fresh');
  await green.stop();
  await phase(['old', 'gone']);
  isOpen = false;
  await submitting;
  await finished('invoiceorder_id', 'gone');
  await blue.stop();
  return submitted;

  async function submitAll(): Promise<void> {
    const count = Math.ceil((traffic.perSecond * BATCH_MS) / 1_000);
    for await (const _ of setInterval(BATCH_MS)) {
      if (!isOpen) return;
      const own = forms;
      const jobs = Array.from({ length: count }, (_, n) => FORMS[own[n % own.length] ?? 'gone']);
      const { status, text } = await person.post('/jobs/batch', { jobs });
      if (status !== 202) throw new Error(`POST /jobs/batch: ${status} ${text}`);
      submitted += jobs.length;
    }
  }
}

/** How many jobs are finished, by status and number of attempts. */
export async function countFinished(world: World): Promise<Record<string, number>> {
  const rows = await world.db.$queryRaw<{ outcome: string; n: number }[]>`
    SELECT status::text || ' after ' || attempt || ' attempts, ' || retries || ' retries' AS outcome, count(*)::int AS n
    FROM finished_jobs GROUP BY 1`;
  return Object.fromEntries(rows.map(({ outcome, n }) => [outcome, n]));
}
