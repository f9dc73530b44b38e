import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The epoch becomes part of a key: a dispatcher's turn holds its key against a change, which a renewal of the ownership
 * does not wait for.
 */
export class OwnershipEpochs1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create unique index dispatchers_epoch on dispatchers (arch, epoch)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index dispatchers_epoch');
  }
}
