import { IsBoolean, IsInt, IsOptional, Max, Min } from 'class-validator';
import { Count, PackageBytes, together } from './rules';

/** Days, of which a hundred years are the most. */
function Days(): PropertyDecorator {
  return together([IsInt(), Min(1), Max(36_500)]);
}

/** What is kept for how long. */
export class RetentionSection {
  /** Whether what is older is removed without being asked to. */
  @IsBoolean() enabled = true;
  /** Nothing is removed by itself for so long after the first start with this. */
  @IsInt() @Min(0) @Max(365) graceDays = 7;
  @IsInt() @Min(1) @Max(720) everyHours = 24;
  @Days() artifactsDays = 30;
  @Days() failedArtifactsDays = 90;
  @Days() logsDays = 180;
  @Count() packageBytesMax = 200 * 1024 * 1024;
  /** Package, which may end in `*` → its own limit; the first that fits counts. */
  @PackageBytes() packages: Record<string, number> = {};
  @Days() storyDays = 400;
  /** Of runs of which nothing else is left; for ever when absent. */
  @IsOptional() @Days() runDays?: number;
  /** Of the time, spent on removal while there is something to remove. */
  @IsInt() @Min(1) @Max(100) timePercentMax = 5;
  /** With less of the store's disk free no run is granted; 0: whatever is free. */
  @IsInt() @Min(0) @Max(99) storeFreePercentMin = 5;
}
