import { Room } from '../http/room';
import { ArtifactFilesController } from './artifact-files.controller';
import { Indexes } from './indexes';
import { FOLLOW_SETTINGS, FOLLOW_SETTINGS_TOKEN, LogFollower } from './log-follower';
import { LogIndexController } from './log-index.controller';
import { LogsController } from './logs.controller';
import { RunLogs } from './run-logs';

/** Logs and artifacts of runs. */
@Room({
  controllers: [LogsController, LogIndexController, ArtifactFilesController],
  providers: [Indexes, RunLogs, LogFollower, { provide: FOLLOW_SETTINGS_TOKEN, useValue: FOLLOW_SETTINGS }],
})
export class LogsModule {}
