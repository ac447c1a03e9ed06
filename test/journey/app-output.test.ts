import { afterEach, beforeEach, expect, it } from 'vitest';
import { finishedJob, register, startWatchedApps, submitJob, type WatchedApps } from '../harness/index.js';

let apps: WatchedApps;

beforeEach(async () => {
  apps = await startWatchedApps();
});
afterEach(() => apps.end());

it('everything that the apps print is one JSON document per line, warnings of Node included', async () => {
  const person = await register(apps.call);
  const id = await submitJob(person, 'ai_summarize', { text: 'One sentence. Another one, which is longer.' });
  expect((await finishedJob(person, id)).job.status).toBe('done');
  await Promise.all([apps.api.kill('SIGTERM'), apps.worker.kill('SIGTERM')]);

  for (const app of [apps.api, apps.worker]) {
    const lines = app.output().trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((line) => !/^\{.*\}$/.test(line))).toEqual([]);
  }
});
