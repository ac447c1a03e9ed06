import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { readDurations, writeDurations } from './durations.js';
import type { RunResult } from './stack/flaky.js';
import { createTimeLeft, type TimeLeft } from './time-left.js';

/** An error in the form in which the runner reports it. */
interface Thrown {
  message?: string;
  stack?: string;
  stacks?: readonly { file: string; line: number }[];
}

interface Failure {
  /** The one line that matters. */
  line: string;
  /** The path of its test file. */
  path: string;
  errors: readonly Thrown[];
  project: TestModule['project'];
}

export interface ReporterOptions {
  /** Whether a skipped test fails the run: always, unless tests were selected by name. */
  failsOnSkipped: boolean;
  /** Gets the result as JSON, in the form of RunResult. */
  resultFile?: string | undefined;
  /** Whether the durations of the files are stored for later runs. */
  keepsDurations?: boolean;
  /** How many of the slowest tests are listed at the end. */
  slowest?: number;
  out?: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;
}

/** The longest time without a line in a log that is not a terminal. */
const QUIET_MS = 30_000;

/**
 * Prints a line for every finished file, with the elapsed time and the time that is left, the most important line of
 * every failure as soon as it happens, and on a terminal the running files. At the end come the details of all failures, then their lines again, then the totals.
 */
export function createReporter({
  failsOnSkipped,
  resultFile,
  keepsDurations = false,
  slowest = 0,
  out = process.stdout,
}: ReporterOptions): Reporter {
  let vitest: Vitest;
  let total = 0;
  let finished = 0;
  let startedAt = performance.now();
  let timeLeft: TimeLeft;
  let printedAt = startedAt;
  let ticking: NodeJS.Timeout | undefined;
  const running = new Set<string>();
  const failures: Failure[] = [];
  const skipped: string[] = [];

  const clock = () => asClock(performance.now() - startedAt);
  /** How far the run is, in columns. */
  const progress = () => {
    const files = `${finished}/${total}`.padStart(2 * `${total}`.length + 1);
    return `${clock().padStart(5)}  ${files} files  ~${asClock(timeLeft.estimate(performance.now()))} left`;
  };
  const pathOf = (file: string) => relative(vitest.config.root, file);

  function print(line: string): void {
    printedAt = performance.now();
    out.write(out.isTTY ? `\r\x1b[K${line}\n` : `${line}\n`);
  }

  /** On a terminal it is the last line, which is overwritten. Elsewhere it is printed if nothing else was for long. */
  function showRunning(): void {
    const line = `${progress()}  ${[...running].join('  ')}`;
    if (out.isTTY) out.write(`\r\x1b[K${line.slice(0, (out.columns ?? 80) - 1)}`);
    else if (performance.now() - printedAt > QUIET_MS) print(line);
  }

  function fail(where: string, errors: readonly Thrown[], project: TestModule['project'], file: string): void {
    const [first] = errors;
    const at = first?.stacks?.find((frame) => frame.file === file);
    const place = at ? ` (${pathOf(at.file)}:${at.line})` : '';
    // Prisma begins its messages with an empty line.
    const reason = first?.message?.trim().split('\n')[0] || 'no reason given';
    const line = `FAIL  ${where}: ${reason}${place}`;
    failures.push({ line, path: pathOf(file), errors, project });
    print(line);
  }

  return {
    onInit(made) {
      vitest = made;
    },
    onTestRunStart(specifications) {
      total = specifications.length;
      startedAt = performance.now();
      timeLeft = createTimeLeft(
        specifications.map(({ moduleId }) => pathOf(moduleId)),
        { durations: readDurations(), workers: vitest.config.maxWorkers, startedAt },
      );
      ticking = setInterval(showRunning, 1_000).unref();
    },
    /** The measurements of long tests. */
    onUserConsoleLog({ content }) {
      print(content.trimEnd());
    },
    onTestModuleStart(module) {
      running.add(pathOf(module.moduleId));
      timeLeft.start(pathOf(module.moduleId), performance.now());
      showRunning();
    },
    onTestCaseResult(test) {
      const result = test.result();
      if (result.state === 'failed') fail(nameOf(test, pathOf), result.errors, test.project, test.module.moduleId);
      if (result.state === 'skipped') skipped.push(nameOf(test, pathOf));
      showRunning();
    },
    onTestSuiteResult(suite) {
      if (suite.errors().length > 0) {
        fail(
          `${pathOf(suite.module.moduleId)} > ${suite.fullName}`,
          suite.errors(),
          suite.project,
          suite.module.moduleId,
        );
      }
    },
    onTestModuleEnd(module) {
      const path = pathOf(module.moduleId);
      running.delete(path);
      finished++;
      timeLeft.end(path);
      if (module.errors().length > 0) fail(path, module.errors(), module.project, module.moduleId);
      const tests = [...module.children.allTests()];
      const seconds = secondsOf(module).toFixed(1);
      const mark = module.ok() ? 'ok  ' : 'FAIL';
      print(`${progress()}  ${mark}  ${path}  ${tests.length} tests  ${seconds} s`);
      showRunning();
    },
    onTestRunEnd(modules, unhandled) {
      clearInterval(ticking);
      for (const { errors, project } of failures) {
        for (const error of errors) vitest.logger.printError(error, { project });
      }
      for (const error of unhandled) vitest.logger.printError(error);
      const tests = modules.flatMap((module) => [...module.children.allTests()]);
      const passed = tests.filter(hasPassed).length;
      if (failures.length > 0) print('\nWhat failed:');
      for (const { line } of failures) print(line);
      for (const error of unhandled) print(`FAIL  outside of any test: ${error.message}`);
      if (failsOnSkipped) {
        for (const name of skipped)
          print(`FAIL  ${name}: it was skipped; a test that cannot run here must fail or not exist`);
        if (skipped.length > 0) process.exitCode = 1;
      }
      const durationOf = (test: TestCase) => test.diagnostic()?.duration ?? 0;
      for (const test of tests.toSorted((a, b) => durationOf(b) - durationOf(a)).slice(0, slowest)) {
        print(`${(durationOf(test) / 1_000).toFixed(1).padStart(7)} s  ${nameOf(test, pathOf)}`);
      }
      print(`\n${modules.length} files in ${clock()}`);
      const failed = failures.length + unhandled.length;
      print(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
      if (keepsDurations)
        writeDurations(new Map(modules.map((module) => [pathOf(module.moduleId), secondsOf(module)])));
      if (!resultFile) return;
      const failedFiles = modules
        .filter((module) => !module.ok())
        .map((module) => {
          const path = pathOf(module.moduleId);
          const output = failures
            .filter((failure) => failure.path === path)
            .flatMap(({ line, errors }) => [line, ...errors.flatMap(({ stack }) => stack ?? [])]);
          return { path, passed: [...module.children.allTests()].filter(hasPassed).length, output };
        });
      const result: RunResult = {
        ...{ passed, failed, skipped: skipped.length, failedFiles },
        hasOtherFailures: unhandled.length > 0,
      };
      writeFileSync(resultFile, JSON.stringify(result));
    },
  };
}

function nameOf(test: TestCase, pathOf: (file: string) => string): string {
  return `${pathOf(test.module.moduleId)} > ${test.fullName}`;
}

function hasPassed(test: TestCase): boolean {
  return test.result().state === 'passed';
}

/** All that a worker does for a file: its own modules, tests and hooks. */
function secondsOf(module: TestModule): number {
  const { duration, collectDuration } = module.diagnostic();
  return (duration + collectDuration) / 1_000;
}

/** Minutes and seconds. */
function asClock(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
