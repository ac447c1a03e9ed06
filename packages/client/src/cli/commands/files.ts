import { createWriteStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { StoredFile } from '../../types.js';
import { type App, define, forEachId } from '../app.js';
import { given, toNumber } from '../command-options.js';
import { UsageError } from '../exit-codes.js';
import { type Column, table } from '../format.js';

interface UploadFlags {
  name?: string;
  days?: number;
  type?: string;
}

const COLUMNS: Column<StoredFile>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'BYTES', value: ({ size }) => size },
  { head: 'EXPIRES', value: ({ expires_at }, style) => style.time(expires_at) },
  { head: 'NAME', value: ({ name }) => name, isFlexible: true },
];
const EXAMPLE_ID = '0199f2c4-5b1e-7000-8000-000000000000';
const ID = ['<id>', 'the id of the file'] as const;

/** The commands about files that jobs take bytes from. */
export function addFiles(program: Command, app: App): void {
  const files = define(program, 'files', 'files that jobs take bytes from', 'jobline files list');
  define(files, 'upload', 'upload a file and print its id', 'jobline files upload photo.png --type image/png')
    .argument('<file>', 'the path of the file')
    .option('--name <name>', 'its name; that of the path unless given')
    .option('--days <days>', 'for how many days it is kept', toNumber)
    .option('--type <type>', 'its content type')
    .action(async (path: string, { name = basename(path), days, type }: UploadFlags) => {
      const blob = await openAsBlob(path).catch((error: Error) => {
        throw new UsageError(`${path} cannot be read: ${error.message}`);
      });
      const file = await app.client().files.upload(blob, { name, ...given({ days, contentType: type }) });
      app.out.show(file, () => file.id);
    });
  define(files, 'list', 'list the files', 'jobline files list').action(async () => {
    const { data } = await app.client().files.list({ limit: 1_000 });
    app.out.show(data, (style) => table(style, data, COLUMNS));
  });
  define(files, 'download', 'write a file to the standard output', `jobline files download ${EXAMPLE_ID} > photo.png`)
    .argument(...ID)
    .option('--output <path>', 'write it to this path')
    .action(async (id: string, { output }: { output?: string }) => {
      const { body } = await app.client().files.content(id);
      const target = output === undefined ? app.io.stdout : createWriteStream(output);
      // The cast: a response of Node's fetch has a stream of Node.
      if (body) await pipeline(Readable.fromWeb(body as never), target, { end: output !== undefined });
    });
  define(files, 'link', 'print a URL with which anybody can fetch a file', `jobline files link ${EXAMPLE_ID}`)
    .argument(...ID)
    .option('--expires-in <seconds>', 'for how long it works; a day unless given', toNumber)
    .action(async (id: string, { expiresIn }: { expiresIn?: number }) => {
      const link = await app.client().files.link(id, given({ expires_in: expiresIn }));
      app.out.show(link, () => link.url);
    });
  define(files, 'delete', 'delete files', `jobline files delete ${EXAMPLE_ID}`)
    .argument('<id...>', 'the ids of files')
    .action((ids: string[]) => {
      const { files } = app.client();
      const remove = (id: string) => files.delete(id).then(() => ({ id, deleted: true }));
      return forEachId(app, ids, remove, ({ id }) => `${id}  deleted`);
    });
}
