import { Room } from '../../http/room';
import { AffectedByPageController } from './affected-by-page.controller';
import { Failures } from './failures.service';
import { HistoryPageService } from './history-page.service';
import { HistoryController } from './history.controller';
import { PackagePageService } from './package-page.service';
import {
  BadgeController,
  PackageNameController,
  PackagesController,
  PrefixDataController,
} from './packages.controller';

@Room({
  controllers: [
    AffectedByPageController,
    BadgeController,
    HistoryController,
    PrefixDataController,
    PackagesController,
    PackageNameController,
  ],
  providers: [Failures, PackagePageService, HistoryPageService],
})
export class PackagePagesModule {}
