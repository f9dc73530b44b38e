import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { buildIndexes } from '../migrating/steps';

/** The audit log has decisions too, and is read by who, what, about what and when. */
export class AuditOfDecisions1765930000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['audit_entries'], () =>
      runner.query(`alter table audit_entries
        add column if not exists detail text,
        add column if not exists runs integer`),
    );
    await buildIndexes(runner, [
      'create index audit_entries_at on audit_entries (created_at, entry_id)',
      'create index audit_entries_user on audit_entries (user_name, created_at, entry_id)',
      'create index audit_entries_action on audit_entries (action, created_at, entry_id)',
      `create index audit_entries_subject on audit_entries (subject text_pattern_ops, created_at, entry_id)
        where subject is not null`,
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const by of ['at', 'user', 'action', 'subject'])
      await runner.query(`drop index audit_entries_${by}`);
    await runner.query('alter table audit_entries drop column detail, drop column runs');
  }
}
