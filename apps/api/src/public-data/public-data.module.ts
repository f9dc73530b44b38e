import { Room } from '../http/room';
import { FeedsController } from './feeds.controller';
import { PackageDataController } from './package-data.controller';
import { PublicCache } from './public-cache';
import { PublicRunsService } from './public-runs.service';
import { RunFilesController } from './run-files.controller';
import { DayStatusController, StatusDataController } from './status-data.controller';
import { StatusService } from './status.service';

/** Everything below `/data`, except the answers of the API there. */
@Room({
  controllers: [
    RunFilesController,
    PackageDataController,
    StatusDataController,
    DayStatusController,
    FeedsController,
  ],
  providers: [PublicCache, PublicRunsService, StatusService],
})
export class PublicDataModule {}
