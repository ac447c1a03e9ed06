import { writeFileSync } from 'node:fs';
import { createCatalogue } from '@jobline/handlers';
import { endpoints } from '../endpoints/index.js';
import { createDocument } from './document.js';

/** A program: `node write-document.js <file>`. For those who make types of the document while the dashboard is built. */
const [, , file] = process.argv;
if (file === undefined) throw new Error('which file is the document to be written to?');
const document = createDocument(endpoints, { catalogue: createCatalogue(), publicUrl: 'http://localhost:3000' });
writeFileSync(file, JSON.stringify(document));
