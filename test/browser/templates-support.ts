import type { FrameLocator, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Person } from '../harness/index.js';

export const bodyOf = (page: Page): Locator => page.getByLabel('Body', { exact: true });
/** The frame with the preview of HTML. */
export const inFrame = (page: Page): FrameLocator => page.frameLocator('iframe[title="Preview"]');

/** Creates a template in the person's organization. Returns its id. */
export async function store(person: Person, template: object): Promise<string> {
  const answer = await person.post('/org/templates', template);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
}
