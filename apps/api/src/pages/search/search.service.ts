import { Injectable } from '@nestjs/common';
import { runIdIn } from '@proctor/contracts';
import { OwnRuns, TriggerRuns } from '@proctor/database';
import type { RunReader, RunRecord } from '@proctor/database';
import type { Signature } from '@proctor/resources';
import { maySee } from '../../auth/run-reader';
import { loadPart } from '../../http/parts';
import { runPath } from '../../runs/page-paths';
import { SignaturesService } from '../../runs/signatures.service';
import { triggerPath } from '../../runs/trigger.service';
import type { Viewer } from '../../sessions/viewer';
import { WorkersService } from '../../workers/workers.service';
import { workerUrl } from '../machines/workers-view';
import { type Hit, TestedPackages } from './tested-packages';

const PACKAGES_MAX = 200;
const SUGGESTED_PACKAGES_MAX = 10;
const OTHERS_MAX = 10;
/** With fewer characters, nearly every error is found. */
const ERROR_TEXT_LENGTH_MIN = 3;

/** What a search finds, by kind. */
export interface SearchResult {
  /** The run with this number, if the reader may see it. */
  runs: Hit[];
  packages: Hit[];
  /** Whether more packages match than were listed. */
  hasMore: boolean;
  /** If no package was found: tested packages whose names differ in one or two letters. */
  nearPackages: Hit[];
  triggers: Hit[];
  workers: Hit[];
  /** Errors of public runs, named by the line of the log. */
  errors: Hit[];
  /** Runs of the viewer, private ones included. */
  ownRuns: Hit[];
}

/** Finds everything that has a page of its own. */
@Injectable()
export class SearchService {
  constructor(
    private readonly packages: TestedPackages,
    private readonly triggers: TriggerRuns,
    private readonly runs: OwnRuns,
    private readonly workers: WorkersService,
    private readonly signatures: SignaturesService,
  ) {}

  /** The package or the trigger whose whole name is the query. */
  async findNamed(query: string): Promise<Hit | null> {
    return (await this.packages.findNamed(query)) ?? this.findTrigger(query);
  }

  async find(query: string, viewer: Viewer): Promise<SearchResult> {
    const [run, packages, triggers, workers, errors, ownRuns] = await Promise.all([
      this.findRun(query, viewer.reader),
      loadPart(
        PACKAGES_MAX,
        (limit) => this.packages.find(query, limit),
        ({ name }) => name,
      ),
      this.findTriggers(query),
      this.findWorkers(query),
      this.findErrors(query),
      this.findOwnRuns(query, viewer),
    ]);
    return {
      runs: run ? [run] : [],
      packages: packages.rows,
      hasMore: packages.last !== null,
      nearPackages: packages.rows.length > 0 ? [] : await this.packages.findNear(query),
      triggers,
      workers,
      errors,
      ownRuns,
    };
  }

  /** What everybody may see and can be found at each key: a run or a trigger that the query names, then packages. */
  async suggest(query: string): Promise<Hit[]> {
    const [run, trigger, packages] = await Promise.all([
      this.findRun(query, {}),
      this.findTrigger(query),
      this.suggestPackages(query),
    ]);
    return [run, trigger, ...packages].filter((hit) => hit !== null);
  }

  suggestPackages(query: string): Promise<Hit[]> {
    return this.packages.find(query, SUGGESTED_PACKAGES_MAX);
  }

  private async findRun(query: string, reader: RunReader): Promise<Hit | null> {
    const runId = runIdIn(query);
    const [run] = runId === null ? [] : await this.runs.byId(null, [runId]);
    return run && maySee(reader, run) ? runHit(run) : null;
  }

  private async findTrigger(query: string): Promise<Hit | null> {
    return query.includes('/') && (await this.triggers.isKnown(query)) ? triggerHit(query) : null;
  }

  private async findTriggers(query: string): Promise<Hit[]> {
    if (query === '') return [];
    const { triggers } = await this.triggers.list(query, OTHERS_MAX, null);
    return triggers.map(({ name }) => triggerHit(name));
  }

  private async findWorkers(query: string): Promise<Hit[]> {
    if (query === '') return [];
    const part = query.toLowerCase();
    const names = (await this.workers.listNames()).filter((name) => name.toLowerCase().includes(part));
    return names.slice(0, OTHERS_MAX).map((name) => ({ name, url: workerUrl(name) }));
  }

  private async findErrors(query: string): Promise<Hit[]> {
    if (query.length < ERROR_TEXT_LENGTH_MIN) return [];
    const signatures = await this.signatures.findByText(query);
    return signatures.slice(0, OTHERS_MAX).map(errorHit);
  }

  private async findOwnRuns(query: string, { user }: Viewer): Promise<Hit[]> {
    const part = query.toLowerCase();
    if (user === null || !/^[a-z0-9+.-]+$/.test(part)) return [];
    const { runs } = await this.runs.find(user.userId, { package: `*${part}*` }, OTHERS_MAX, null);
    return runs.map(runHit);
  }
}

function triggerHit(name: string): Hit {
  return { name, url: triggerPath(name) };
}

function runHit(run: RunRecord): Hit {
  return { name: `Run ${run.runId}: ${run.package} on ${run.suite}/${run.arch}`, url: runPath(run) };
}

function errorHit({ excerpt: { lines, error_line, first_line }, page_url }: Signature): Hit {
  return { name: lines[error_line - first_line]!, url: page_url };
}
