import { Injectable } from '@nestjs/common';
import { isRunId } from '@proctor/contracts';
import { Database } from '../kit/database';
import { REMOVAL } from './removed-run-statements';

/** What is left of a run whose row was removed. */
export interface RunRemoval {
  /** See `removedBy`. */
  removedBy: string;
  /** Whose it was, when it was private; null: everybody may know of it. */
  owner: { keyId: number; requestor: string } | null;
}

/** Runs whose rows were removed: `Expiry` does that. */
@Injectable()
export class RemovedRuns {
  constructor(private readonly database: Database) {}

  /** Null when no such run was removed. @throws DatabaseUnavailable */
  async find(runId: number): Promise<RunRemoval | null> {
    if (!isRunId(runId)) return null;
    const [row] = await this.database.query(REMOVAL, [runId]);
    if (!row) return null;
    const { removedBy, keyId, requestor } = row;
    return { removedBy, owner: keyId === null || requestor === null ? null : { keyId, requestor } };
  }
}
