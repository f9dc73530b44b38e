import { ImportUnderWay, type Imports } from '@proctor/database';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printAnswer, printTable } from '../output/print';
import { withDatabase } from '../own-servers';

/** Numbers of runs of an import: new ones, and ones that were already here. */
export interface ImportedRuns {
  added: number;
  present: number;
}

interface PlaceCount {
  suite: string;
  arch: string;
  verdict: string;
  there: number;
  here: number;
}

/** Counts finished runs by suite, architecture and verdict, in the other service and here. */
export class ThereAndHere {
  private readonly places = new Map<string, PlaceCount>();

  there(suite: string, arch: string, verdict: string): void {
    this.of(suite, arch, verdict).there += 1;
  }

  /** @param runIds finished runs that were counted with `there` */
  async here(imports: Imports, runIds: number[]): Promise<void> {
    for (const { suite, arch, verdict, runs } of await imports.counts(runIds))
      this.of(suite, arch, verdict ?? 'waiting').here += runs;
  }

  /** Prints all counts. @param runs numbers of the import, for `--json` @throws Failure if the counts differ */
  print(runs: ImportedRuns, options: OutputOptions): void {
    const rows = [...this.places.values()].sort(
      (a, b) =>
        a.suite.localeCompare(b.suite) || a.arch.localeCompare(b.arch) || a.verdict.localeCompare(b.verdict),
    );
    printAnswer({ runs, places: rows }, options, () => printPlaces(rows));
    const odd = rows.filter(({ there, here }) => there !== here);
    if (odd.length > 0)
      throw new Failure(
        `${odd.length} places differ: the data here has changed since, or differs from the export`,
      );
  }

  private of(suite: string, arch: string, verdict: string): PlaceCount {
    const key = `${suite} ${arch} ${verdict}`;
    const count = this.places.get(key) ?? { suite, arch, verdict, there: 0, here: 0 };
    this.places.set(key, count);
    return count;
  }
}

function printPlaces(rows: PlaceCount[]): void {
  printTable(
    rows,
    [
      { head: 'SUITE', of: (row) => row.suite },
      { head: 'ARCH', of: (row) => row.arch },
      { head: 'VERDICT', of: (row) => row.verdict },
      { head: 'THERE', of: (row) => row.there },
      { head: 'HERE', of: (row) => row.here },
      { head: '', of: (row) => (row.there === row.here ? 'same' : 'DIFFERENT') },
    ],
    'no finished runs',
  );
}

/** @throws Failure if another import is running */
export async function withImports(work: (imports: Imports) => Promise<void>): Promise<void> {
  try {
    await withDatabase(({ imports }) => imports.alone(() => work(imports)));
  } catch (error) {
    if (!(error instanceof ImportUnderWay)) throw error;
    throw new Failure(error.message, EXIT.tryLater, 'Type it again when that has ended.');
  }
}
