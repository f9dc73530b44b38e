import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { timestamp } from '@proctor/contracts';
import { Backups } from '@proctor/database';

const LOGGED_FOR_MS = 7 * 86_400_000;

/** Logs what is missing after the database was restored to an earlier moment. */
@Injectable()
export class RestoreNotice implements OnApplicationBootstrap {
  private readonly logger = new Logger('Restore');

  constructor(private readonly backups: Backups) {}

  async onApplicationBootstrap(): Promise<void> {
    const restore = await this.backups.lastRestore();
    if (!restore || Date.now() - restore.restoredAt.getTime() > LOGGED_FOR_MS) return;
    const { takenAt, firstLostRun, nextRun, filesMissing } = restore;
    this.logger.warn(
      `the database was restored to ${timestamp(takenAt)}: what was written after that is missing;` +
        ` runs ${firstLostRun} to ${nextRun - 1} may have been asked for since, and are not known;` +
        ` what workers still have of them is refused; the files of ${filesMissing} runs are missing`,
    );
  }
}
