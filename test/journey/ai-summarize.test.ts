import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, linesOf, type Person, register, runToEnd, type World } from '../harness/index.js';

let world: World;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(() => world.end());

const TEXT =
  'The bridge over the harbour closes to cars. Trams and bicycles may still use the bridge. Lunch was good. ' +
  'The council has no money for a new bridge over the harbour.';

it('a text is summarized, and the result names the summarizer', async () => {
  await world.worker();

  const story = await runToEnd(person, 'ai_summarize', { text: TEXT, length: 1 });

  expect(story.job).toMatchObject({ status: 'done', retries: 0 });
  expect(story.result.result).toEqual({
    summary: 'The bridge over the harbour closes to cars.',
    model: 'local-extractive',
  });
  expect(linesOf(story)).toContain(`1 info local-extractive: ${TEXT.length} characters → 43`);
});

it('a blank text is refused at submission', async () => {
  const answer = await person.post('/jobs', { type: 'ai_summarize', payload: { text: ' ', length: 'huge' } });

  expect(answer.status).toBe(400);
  expect(answer.body.error.details.map(({ path }: { path: string }) => path)).toEqual([
    'payload.text',
    'payload.length',
  ]);
});
