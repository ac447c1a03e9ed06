import { expect, test } from 'vitest';
import { previewKind } from './file-view.js';

const desktop = { pdfViewerEnabled: true, finePointer: true };

test.each([
  ['image/png', 'image'],
  ['IMAGE/JPEG; charset=binary', 'image'],
  ['application/pdf', 'pdf'],
  ['image/svg+xml', 'none'],
  ['text/html', 'none'],
  ['application/octet-stream', 'none'],
])('a file of type %s is previewed as %s', (type, kind) => {
  expect(previewKind(type, desktop)).toBe(kind);
});

test('a PDF preview needs a viewer and a fine pointer, because iOS reports a viewer and then fails', () => {
  expect(previewKind('application/pdf', { ...desktop, finePointer: false })).toBe('none');
  expect(previewKind('application/pdf', { ...desktop, pdfViewerEnabled: false })).toBe('none');
});
