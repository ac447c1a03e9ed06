import { expect, test } from 'vitest';
import { type ToastMessage, type ToastTone, withToast } from './toast.js';

const toasts = (...tones: ToastTone[]): ToastMessage[] => tones.map((tone, id) => ({ id, tone, title: tone }));
const added: ToastMessage = { id: 9, tone: 'info', title: 'added' };
const ids = (shown: readonly ToastMessage[]) => shown.map(({ id }) => id);

test('at most three toasts are shown, and the oldest that is not an error is removed', () => {
  expect(ids(withToast(toasts('info', 'info'), added))).toEqual([0, 1, 9]);
  expect(ids(withToast(toasts('error', 'success', 'info'), added))).toEqual([0, 2, 9]);
});

test('if all toasts are errors, the oldest is removed', () => {
  expect(ids(withToast(toasts('error', 'error', 'error'), added))).toEqual([1, 2, 9]);
});
