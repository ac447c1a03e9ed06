const BYTES = Buffer.alloc(1_000_000, 'x');

/** Stores a file of 1 MB. */
export default {
  type: 'noisy.file',
  run: (_payload, { saveArtifact }) => saveArtifact({ name: 'x.txt', contentType: 'text/plain', bytes: BYTES }),
};
