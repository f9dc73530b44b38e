import { Injectable } from '@nestjs/common';
import { isRunId } from '@proctor/contracts';
import { Any } from 'typeorm';
import { audit } from '../people/audit-log';
import { Database } from '../kit/database';
import { recordFacts } from './facts';
import { recordUpdateTime, CLOCK } from '../kit/horizon';
import { rememberPackages } from './packages';
import { RunRow } from '../rows';
import { runsName } from './run-selection';
import { bigint, integer, type Statement, statement, text } from '../kit/statement';
import { afterChange } from '../kit/unavailable';

/** Makes private runs public. Dispatchers get an order about those that have not finished. */
@Injectable()
export class Publications {
  constructor(private readonly database: Database) {}

  /**
   * The runs need not have finished. Others also write several runs in one transaction, in another order. To
   * avoid a circle of waiting transactions, this one takes all rows that are not locked, and then waits for
   * one at a time.
   * @param address the network of the request, for the audit log
   * @returns the ids of the key's private runs that became public, ascending
   * @throws DatabaseUnavailable; some may be public then, and publishing again helps
   */
  async publish(runIds: number[], keyId: number, address?: string): Promise<number[]> {
    const validIds = runIds.filter(isRunId);
    const published = await this.publishRuns(PUBLISH_FREE, validIds, keyId, address);
    try {
      for (;;) {
        const lockedRun = await this.database.entities((manager) =>
          manager.findOne(RunRow, {
            select: { runId: true },
            where: { runId: Any(validIds), apiKeyId: keyId, isPrivate: true },
            order: { runId: 'asc' },
          }),
        );
        if (!lockedRun) return published.sort((a, b) => a - b);
        published.push(...(await this.publishRuns(PUBLISH, [lockedRun.runId], keyId, address)));
      }
    } catch (error) {
      if (published.length > 0) afterChange(error);
      throw error;
    }
  }

  private async publishRuns(
    statement: typeof PUBLISH,
    runIds: number[],
    keyId: number,
    address: string | undefined,
  ): Promise<number[]> {
    return this.database.transaction(async (transaction) => {
      await recordUpdateTime(transaction);
      const published = await transaction.query(statement, [runIds, keyId]);
      const [owner] = published.length > 0 ? await transaction.query(OWNER, [keyId]) : [];
      if (owner) {
        const subject = runsName(published.map((run) => run.runId));
        const by = address === undefined ? owner : { ...owner, address };
        await audit(transaction, by, { action: 'runs-published', subject, runs: published.length });
      }
      await rememberPackages(
        transaction,
        published.map((run) => ({ package: run.package, isPrivate: false })),
      );
      return published.map((run) => run.runId);
    });
  }
}

const OWNER = statement(
  { userId: integer, userName: text },
  `select u.user_id as "userId", u.name as "userName" from api_keys k join users u using (user_id) where k.key_id = $1`,
);

/** The owner of the key $2. */
const KEY_USER = `(select 'user ' || u.name from api_keys k join users u using (user_id) where k.key_id = $2)`;

function publish(locking: string): Statement<{ runId: number; package: string }> {
  return statement(
    { runId: bigint, package: text },
    `
    with ${CLOCK},
    own as materialized (
      select run_id from runs where run_id = any($1::bigint[]) and api_key_id = $2 and is_private ${locking}
    ),
    published as (
      update runs r set is_private = false, updated_at = clock.updated from own, clock where r.run_id = own.run_id
      returning r.run_id, r.package, r.arch, r.suite, r.state, r.attempt
    ),
    new_facts as (${recordFacts({
      kind: 'published',
      state: { sql: 'f.state' },
      attempt: 'f.attempt',
      actor: KEY_USER,
      from: 'published f, clock',
    })}),
    ordered as (
      insert into orders (arch, kind, run_id, actor_id, created_at)
      select f.arch, 'publish', f.run_id, k.user_id, clock.now from published f, clock, api_keys k
      where f.state <> 'finished' and k.key_id = $2 order by f.run_id
    )
    select run_id as "runId", package from published`,
  );
}

const PUBLISH = publish('for no key update');
const PUBLISH_FREE = publish('for no key update skip locked');
