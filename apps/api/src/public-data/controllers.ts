import type { Type } from '@nestjs/common';
import { FeedsController } from './feeds.controller';
import { PackageDataController } from './package-data.controller';
import { RunFilesController } from './run-files.controller';
import { DayStatusController, StatusDataController } from './status-data.controller';

/** What is below `/data`, but for what the API answers there. */
export const PUBLIC_DATA_CONTROLLERS: Type[] = [
  RunFilesController,
  PackageDataController,
  StatusDataController,
  DayStatusController,
  FeedsController,
];
