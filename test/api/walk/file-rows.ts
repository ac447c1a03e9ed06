import type { Organization } from './organization.js';
import type { Row } from './row.js';

const file = async (of: Organization) => ({ params: { id: await of.file() } });
const artifact = async (of: Organization) => {
  const { id, artifact: name } = await of.doneJob();
  return { params: { id, name } };
};

/** The rows of files, and of links to files and artifacts. */
export const FILE_ROWS: Readonly<Record<string, Row>> = {
  uploadFile: {
    who: 'key',
    status: 201,
    ask: () => ({ query: { name: 'a.txt' }, raw: 'text', headers: { 'content-type': 'text/plain' } }),
  },
  listFiles: {
    who: 'key',
    status: 200,
    ask: () => ({}),
    alsoNaming: async (of) => [
      { query: { cursor: Buffer.from(`9999999999999.${await of.file()}`).toString('base64url') } },
    ],
  },
  getFile: { who: 'key', status: 200, ask: file },
  getFileContent: { who: 'key', status: 200, ask: file },
  deleteFile: { who: 'key', status: 204, ask: file },
  linkFile: { who: 'key', status: 201, ask: file },
  linkArtifact: {
    who: 'key',
    status: 201,
    ask: artifact,
    alsoNaming: async (of) => [{ params: { id: of.sharedJobId, name: (await of.doneJob()).artifact } }],
  },
  openLink: {
    who: 'anybody',
    status: 200,
    async ask(of) {
      const { url } = (await of.maker.post(`/files/${await of.file()}/link`)).body;
      return { query: { token: new URL(url).searchParams.get('token') ?? '' } };
    },
  },
};
