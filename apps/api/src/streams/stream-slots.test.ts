import { AppError, type OrgId } from '@jobline/contracts';
import { expect, it, vi } from 'vitest';
import { createPlaces, type Places } from './stream-slots.js';

// The cast: any text is an organization here.
const org = (name: string) => name as OrgId;

function takeMany(places: Places, name: string, count: number) {
  return Array.from({ length: count }, () => places.take(org(name)));
}

it('an organization gets no more places than its limit, and a released place is free again', () => {
  const places = createPlaces({ maxPerOrg: 2, maxTotal: 10 });
  const [first] = takeMany(places, 'a', 2);

  expect(() => places.take(org('a'))).toThrow(AppError);
  first?.release();
  first?.release();
  expect(places.size()).toBe(1);
  takeMany(places, 'a', 1);
  expect(() => places.take(org('a'))).toThrow('Your organization has 2 event streams');
});

it('when all places are in use, an organization with fewer gets the oldest place of the one with the most', () => {
  const places = createPlaces({ maxPerOrg: 4, maxTotal: 6 });
  const [oldest, second] = takeMany(places, 'a', 4);
  takeMany(places, 'b', 2);
  const onOldestTaken = vi.fn();
  const onSecondTaken = vi.fn();
  oldest?.onTaken(onOldestTaken);
  second?.onTaken(onSecondTaken);

  places.take(org('c'));
  expect(onOldestTaken).toHaveBeenCalledOnce();
  expect(onSecondTaken).not.toHaveBeenCalled();
  expect(places.size()).toBe(6);

  oldest?.release(); // as its stream ends
  expect(places.size()).toBe(6);
  const late = vi.fn();
  oldest?.onTaken(late);
  expect(late).toHaveBeenCalledOnce();
});

it('organizations that have about as many places do not take them from each other', () => {
  const places = createPlaces({ maxPerOrg: 4, maxTotal: 5 });
  takeMany(places, 'a', 3);
  takeMany(places, 'b', 2);

  expect(() => places.take(org('a'))).toThrow('The service has as many event streams');
  expect(() => places.take(org('b'))).toThrow('The service has as many event streams');
  expect(() => takeMany(places, 'c', 1)).not.toThrow();
});
