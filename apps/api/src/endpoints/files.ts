import { ARTIFACT_NAME_PATTERN, FILE_LIMITS } from '@jobline/contracts';
import { findFile, listFiles as listFileRows } from '@jobline/db';
import { type FileView, toFileView } from '@jobline/engine';
import { fileName } from '@jobline/handlers';
import Joi from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { notFound } from '../http/errors.js';
import { UUID_PATTERN } from '../http/fields.js';
import { empty, json } from '../http/response-specs.js';
import { count, timestamp, view } from '../http/view.js';
import { download, downloadOf } from './download.js';
import { defineListEndpoint, defineReadEndpoint } from './row-endpoints.js';

const fileView = view<FileView>('File', {
  id: Joi.string().pattern(UUID_PATTERN),
  name: Joi.string().pattern(ARTIFACT_NAME_PATTERN),
  content_type: Joi.string(),
  size: count().description('In bytes.'),
  sha256: Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .description('In hexadecimal.'),
  created_at: timestamp(),
  expires_at: timestamp().description('When it is deleted, unless an unfinished job needs it for longer.'),
});

interface UploadQuery {
  name: string;
  days: number;
}

/** Stores a file, from which jobs can take bytes. */
export const uploadFile = defineEndpoint({
  method: 'post',
  path: '/files',
  summary: 'Upload a file',
  auth: 'jobs:write',
  needs: ['files'],
  idempotent: true,
  limits: { org: 'control', stores: true },
  query: Joi.object<UploadQuery>({
    name: fileName.required().description('The name of the file.'),
    days: Joi.number()
      .integer()
      .min(1)
      .max(FILE_LIMITS.days)
      .default(FILE_LIMITS.usualDays)
      .description('For how many days it is kept.'),
  }),
  upload: { maxBytes: ({ maxFileBytes }) => maxFileBytes },
  responses: { 201: json('The file is stored.', fileView, ['Idempotent-Replayed?']) },
  errors: ['idempotency_key_reused'],
  async handle({ deps, principal, query, idempotencyKey, upload, getSignal }) {
    if (!upload) throw new Error('an endpoint for uploads got no upload');
    const { file, isReplay } = await deps.files.store(principal.orgId, {
      ...query,
      ...upload,
      idempotencyKey,
      signal: getSignal(),
    });
    return { status: 201, body: file, headers: isReplay ? { 'Idempotent-Replayed': 'true' } : undefined };
  },
});

/** The files of the organization that have not expired. */
export const listFiles = defineListEndpoint({
  path: '/files',
  summary: 'List files',
  description: 'A page of files',
  scope: 'jobs:read',
  view: fileView,
  rows: (db, orgId, query) => listFileRows(db, orgId, query),
  toView: toFileView,
});

/** What is known about a file. */
export const getFile = defineReadEndpoint({
  path: '/files/:id',
  summary: 'Read the metadata of a file',
  description: 'The metadata of the file.',
  scope: 'jobs:read',
  view: fileView,
  find: findFile,
  toView: toFileView,
});

/** The bytes of a file. */
export const getFileContent = defineEndpoint({
  method: 'get',
  path: '/files/:id/content',
  summary: 'Fetch a file',
  auth: 'jobs:read',
  needs: ['db', 'readStored'],
  responses: { 200: download },
  async handle({ deps, principal, params }) {
    const file = await findFile(deps.db, principal.orgId, params.id);
    if (!file) throw notFound();
    return downloadOf(deps, file);
  },
});

/** Deletes a file. Its links end. */
export const deleteFile = defineEndpoint({
  method: 'delete',
  path: '/files/:id',
  summary: 'Delete a file',
  auth: 'jobs:write',
  needs: ['files'],
  limits: { org: 'control' },
  responses: { 204: empty('The file is deleted.') },
  errors: ['conflict'],
  async handle({ deps, principal, params }) {
    if (!(await deps.files.delete(principal.orgId, params.id))) throw notFound();
    return { status: 204 };
  },
});
