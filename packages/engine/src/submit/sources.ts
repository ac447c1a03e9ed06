import { AppError, type ErrorDetail, type JsonObject, type OrgId, type VisibleTypes } from '@jobline/contracts';
import { areReadable, type Db, findGoneSources } from '@jobline/db';
import type { SourceRef } from '@jobline/db/job-transitions';
import { createCatalogue, isSource, type NamedSource, type Source, sourceText } from '@jobline/handlers';

/** Only built-in types name the sources of their payloads at submission. */
const BUILT_IN = createCatalogue();

/**
 * What a payload takes bytes from. None of types that take bytes from nowhere, which costs nothing, and none of a payload that an
 * earlier version stored without the checks of today: its attempt fails.
 */
export function sourcesOf(type: string, payload: JsonObject): readonly NamedSource[] {
  const handler = BUILT_IN.get(type);
  if (!handler?.sources) return [];
  try {
    return handler.sources(payload).filter(({ source }) => isSource(source));
  } catch {
    return []; // it is not valid today
  }
}

/** Like `refsOf(sourcesOf(…))`, for a payload as JSON text. It is parsed only if it may have sources. */
export function refsIn(type: string, payload: string): SourceRef[] | undefined {
  const mayHaveSome = BUILT_IN.get(type)?.sources && /"(?:file|job)"/.test(payload);
  // The cast: only objects are stored as payloads.
  return mayHaveSome ? refsOf(sourcesOf(type, JSON.parse(payload) as JsonObject)) : undefined;
}

/** The different files and jobs of sources; undefined: there are none. */
export function refsOf(sources: readonly NamedSource[]): SourceRef[] | undefined {
  if (sources.length === 0) return undefined;
  return [
    ...new Set(
      sources.map(({ source }): SourceRef => ('file' in source ? `file:${source.file}` : `job:${source.job}`)),
    ),
  ];
}

/** A job whose payload has sources. */
interface WithSources {
  named: readonly NamedSource[];
  /** The ids of jobs that the job waits for. Their artifacts are known when they have finished. */
  awaited: ReadonlySet<string>;
}

/** The issues of the sources of one payload. `awaited`: the ids of jobs that the job waits for. */
export async function issuesOfSources(
  db: Db,
  orgId: OrgId,
  named: readonly NamedSource[],
  types: VisibleTypes,
  awaited: readonly string[] = [],
): Promise<ErrorDetail[]> {
  if (named.length === 0) return [];
  return [...(await sourceIssues(db, orgId, [{ named, awaited: new Set(awaited) }], types)).values()].flat();
}

/** The issues of the sources of each job: those that do not exist, or that the caller may not see. Each is looked up once. */
export async function sourceIssues<Job extends WithSources>(
  db: Db,
  orgId: OrgId,
  jobs: readonly Job[],
  types: VisibleTypes,
): Promise<ReadonlyMap<Job, ErrorDetail[]>> {
  const isAwaited = ({ awaited }: Job, source: Source) => 'job' in source && awaited.has(source.job);
  const all = new Map<string, Source>();
  for (const job of jobs) {
    for (const { source } of job.named) if (!isAwaited(job, source)) all.set(sourceText(source), source);
  }
  const names = [...all.keys()];
  const readable = names.length === 0 ? [] : await areReadable(db, orgId, [...all.values()], types);
  const unknown = new Set(names.filter((_, n) => !readable[n]));
  return new Map(
    jobs.map((job) => [
      job,
      job.named.flatMap(({ path, source }) =>
        unknown.has(sourceText(source)) ? [{ path, message: `"${path}" cannot be read: ${unknownText(source)}` }] : [],
      ),
    ]),
  );
}

function unknownText(source: Source): string {
  if ('file' in source) return `your organization has no file ${source.file}`;
  if (source.artifact === undefined) return `there is no job "${source.job}" that is done and has exactly one artifact`;
  return `there is no job "${source.job}" that is done and has the artifact "${source.artifact}"`;
}

/** Throws AppError `conflict` if what a stored payload takes bytes from does not exist any more. */
export async function requireSources(
  db: Db,
  orgId: OrgId,
  id: string,
  type: string,
  payload: JsonObject,
): Promise<void> {
  const gone = await findGoneSources(db, orgId, refsOf(sourcesOf(type, payload)) ?? []);
  if (gone.length > 0) throw sourcesGone(id, gone);
}

/** The error for another run of a job. `gone`: what its payload takes bytes from and does not exist any more. */
export function sourcesGone(id: string, gone: readonly SourceRef[]): AppError {
  const names = gone.map((ref) => (ref.startsWith('file:') ? `file ${ref.slice(5)}` : `job "${ref.slice(4)}"`));
  return new AppError(
    'conflict',
    `Job "${id}" cannot run again, because what it takes bytes from was deleted: ${names.slice(0, 20).join(', ')}.`,
  );
}
