import { IsBoolean, IsInt, IsOptional, Max, Min } from 'class-validator';
import { Count, PackageBytes, together } from './rules';

/** Days, at most a hundred years. */
function Days(): PropertyDecorator {
  return together([IsInt(), Min(1), Max(36_500)]);
}

/** How long each kind of data is kept. */
export class RetentionSection {
  /** Whether the scheduler removes older data by itself. */
  @IsBoolean() enabled = true;
  /** How long nothing is removed by itself after the first start with this setting. */
  @IsInt() @Min(0) @Max(365) graceDays = 7;
  @IsInt() @Min(1) @Max(720) everyHours = 24;
  @Days() artifactsDays = 30;
  @Days() failedArtifactsDays = 90;
  @Days() logsDays = 180;
  @Count() packageBytesMax = 200 * 1024 * 1024;
  /** Package, which may end in `*` → its own limit; the first that fits counts. */
  @PackageBytes() packages: Record<string, number> = {};
  @Days() storyDays = 400;
  /** Days until the row of a run that has lost all its files is removed; by default it is kept for ever. */
  @IsOptional() @Days() runDays?: number;
  /** Days until the figures of an hour are removed, of its queues and slots. */
  @Days() hourDays = 30;
  /** Percentage of the time that is spent on removal while there is work. */
  @IsInt() @Min(1) @Max(100) timePercentMax = 5;
  /** No run is granted when less of the store's disk is free; 0: no limit. */
  @IsInt() @Min(0) @Max(99) storeFreePercentMin = 5;
}
