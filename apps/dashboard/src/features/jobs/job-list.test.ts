import { describe, expect, it } from 'vitest';
import { applyChanges, type JobList, withOlder, withOwn } from './job-list.js';
import type { Job } from './model.js';

const at = (s: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, s)).toISOString();
const job = (id: string, createdS: number, more: Partial<Job> = {}): Job => ({
  id,
  type: 'greet',
  status: 'pending',
  retries: 0,
  max_retries: 0,
  created_at: at(createdS),
  updated_at: at(createdS),
  ...more,
});
const changes = (...jobs: Job[]) => new Map(jobs.map((one) => [one.id, one]));
const shown: JobList = { rows: [job('c', 30), job('b', 20), job('a', 10)], next: 'more', fresh: new Set() };

describe('applyChanges', () => {
  it('a shown job changes in place, even if it no longer matches the filter', () => {
    const { rows, fresh } = applyChanges(shown, changes(job('b', 20, { status: 'done', updated_at: at(40) })), {
      status: 'pending',
    });

    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      ['c', 'pending'],
      ['b', 'done'],
      ['a', 'pending'],
    ]);
    expect(fresh.size).toBe(0);
  });

  it('a change that is older than the shown state is ignored', () => {
    const later = applyChanges(shown, changes(job('b', 20, { status: 'done', updated_at: at(40) })), {});
    const { rows } = applyChanges(later, changes(job('b', 20, { status: 'processing', updated_at: at(35) })), {});

    expect(rows[1]?.status).toBe('done');
  });

  it('an unknown job is counted once and moves no row', () => {
    const once = applyChanges(shown, changes(job('d', 40)), {});
    const twice = applyChanges(once, changes(job('d', 40, { status: 'processing' })), {});

    expect(twice.rows).toBe(shown.rows);
    expect([...twice.fresh]).toEqual(['d']);
  });

  it('a job with all tags of the filter is counted', () => {
    const tagged = job('d', 40, { tags: ['night', 'report'] });

    expect(applyChanges(shown, changes(tagged), { tag: 'report,night' }).fresh.size).toBe(1);
    expect(applyChanges(shown, changes(tagged), { tag: 'report,other' }).fresh.size).toBe(0);
  });

  it('a job is not counted if the filter excludes it or if it belongs to older pages', () => {
    expect(applyChanges(shown, changes(job('d', 40)), { status: 'failed' }).fresh.size).toBe(0);
    expect(applyChanges(shown, changes(job('d', 40)), { type: 'other' }).fresh.size).toBe(0);
    expect(applyChanges(shown, changes(job('d', 40)), { created_before: at(40) }).fresh.size).toBe(0);
    expect(applyChanges(shown, changes(job('z', 5)), {}).fresh.size).toBe(0);
  });

  it('a counted job is no longer counted when it stops matching the filter', () => {
    const counted = applyChanges(shown, changes(job('d', 40)), { status: 'pending' });

    expect(applyChanges(counted, changes(job('d', 40, { status: 'done' })), { status: 'pending' }).fresh.size).toBe(0);
  });
});

describe('with a filter by a value that events do not have', () => {
  it('an unknown job is not counted, and a counted job stays counted', () => {
    expect(applyChanges(shown, changes(job('d', 40)), { key: 'acme' }).fresh.size).toBe(0);
    const counted = applyChanges(shown, changes(job('d', 40)), {});

    expect(applyChanges(counted, changes(job('d', 40)), { key: 'acme' }).fresh.size).toBe(1);
  });
});

describe('the list', () => {
  it("the user's own new job is added on top, once", () => {
    const list = withOwn(withOwn(shown, job('d', 40)), job('d', 40));

    expect(list.rows.map(({ id }) => id)).toEqual(['d', 'c', 'b', 'a']);
  });

  it('older rows are appended without repeating a row', () => {
    const list = withOlder(shown, { rows: [job('a', 10), job('z', 5)], next: null });

    expect(list.rows.map(({ id }) => id)).toEqual(['c', 'b', 'a', 'z']);
    expect(list.next).toBeNull();
  });
});
