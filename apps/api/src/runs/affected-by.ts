import { Injectable } from '@nestjs/common';
import { isPackageName, Strict, timestamp } from '@proctor/contracts';
import { Field, OptionalField, text } from '@proctor/resources';
import { type AffectedRun, RunTestbeds } from '@proctor/database';
import { validName } from '../http/parameter-values';
import { loadPart } from '../http/parts';
import { From } from '../http/shape';
import { shortRunPath } from './page-paths';

/** The maximum number of runs to search, the newest. */
const RUNS_MAX = 500;

/** An empty form field counts as absent. */
const isVersion = (text: string): boolean => /^[0-9A-Za-z.+:~-]*$/.test(text);

/** The query of `GET /api/v1/affected-by`: a package, and the versions between which it changed. */
@Strict()
export class AffectedByQuery {
  @Field(text({ example: 'libc6' }))
  @From({
    read: validName('the name of a package', isPackageName),
    missing: 'it holds the name of a package',
  })
  package: string;

  @OptionalField(text({ example: '2.40-3' }), 'The version before; any version if it is left out.')
  @From({ read: validName('a version', isVersion) })
  from?: string;

  @OptionalField(text({ example: '2.40-4' }), 'The version after; any version if it is left out.')
  @From({ read: validName('a version', isVersion) })
  to?: string;
}

/** The form of the page: at first it has no package. */
@Strict()
export class AffectedByForm {
  @From({ read: validName('the name of a package', isPackageName) })
  package?: string;

  @From({ read: validName('a version', isVersion) })
  from?: string;

  @From({ read: validName('a version', isVersion) })
  to?: string;
}

/** A package that changed; absent or empty versions match all. */
export interface ChangedPackage {
  package: string;
  from?: string | undefined;
  to?: string | undefined;
}

export interface Affected {
  /** The first failed run of each package on each suite and architecture, newest first. */
  runs: AffectedRun[];
  /** Only the newest runs were searched. */
  isCut: boolean;
}

/** Finds tests that began to fail after a package changed. */
@Injectable()
export class AffectedByService {
  constructor(private readonly testbeds: RunTestbeds) {}

  /** Finds public runs that began to fail after the package changed. */
  async find({ package: name, from, to }: ChangedPackage): Promise<Affected> {
    const read = (limit: number) => this.testbeds.affectedBy(name, from || null, to || null, limit);
    const { rows, last } = await loadPart(RUNS_MAX, read, ({ runId }) => runId);
    return { runs: firstOfEachPlace(rows), isCut: last !== null };
  }
}

/** @param runs newest first */
export function firstOfEachPlace(runs: AffectedRun[]): AffectedRun[] {
  const places = new Map(runs.map((run) => [`${run.package} ${run.suite} ${run.arch}`, run]));
  return [...places.values()].sort((one, other) => other.runId - one.runId);
}

/** The answer of the API. */
export function affectedObject({ runs, isCut }: Affected) {
  return {
    runs: runs.map((run) => ({
      package: run.package,
      suite: run.suite,
      arch: run.arch,
      run_id: run.runId,
      version: run.version,
      date: timestamp(run.date),
      passed_run_id: run.passedRunId,
      changed: { package: run.changed, from: run.from || null, to: run.to || null },
      page_url: shortRunPath(run.runId),
    })),
    is_cut: isCut,
  };
}
