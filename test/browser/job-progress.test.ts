import { expect, it } from 'vitest';
import { submitJob } from '../harness/index.js';
import { useJobPages } from './job-support.js';
import { expectAccessibleInEveryLook } from './looks.js';

const { openJob, person, resume } = useJobPages();

it('the page of a running job shows its progress, and that of a failed job where its handler threw the error', async () => {
  const id = await submitJob(person(), 'reports', {});
  const page = await openJob(id);
  const bar = page.getByRole('progressbar', { name: 'Progress of the job' });
  await bar.waitFor();
  expect(await bar.getAttribute('aria-valuenow')).toBe('40');
  expect(await bar.getAttribute('aria-valuetext')).toBe('40%, page 4 of 10');
  await expectAccessibleInEveryLook(page, 'job-progress', bar);

  resume();
  const stack = page.locator('details', { hasText: 'Stack of the error of attempt 1' });
  await stack.locator('summary').click();
  const lines = stack.locator('pre');
  await lines.getByText('Error: page 5 is damaged').waitFor();
  expect(await lines.locator('strong').allInnerTexts()).toEqual([expect.stringContaining('job-support.ts')]);
  await expectAccessibleInEveryLook(page, 'job-stack', lines);
});
