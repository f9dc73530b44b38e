import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import { ArchitectureList, Count, HOST, Milliseconds, NameList } from './rules';

export class ApiSection {
  @IsString() host = '127.0.0.1';
  @IsInt() @Min(0) @Max(65535) port = 8080;
  @IsIn(['pass', 'neutral']) neutral: 'pass' | 'neutral' = 'pass';
  @Count() bodyBytesMax = 32 * 1024 * 1024;
  @Count() itemsPerRequestMax = 20_000;
  @Count() historyLengthMax = 500;
}

export class SchedulerSection {
  @Milliseconds() leaseTtlMs = 60_000;
  @Milliseconds() leaseRenewMs = 15_000;
  @Milliseconds() ownershipTtlMs = 5_000;
  @Milliseconds() arrivalPollMs = 5_000;
  @Milliseconds() askAgainMs = 5_000;
  @Count() attemptsMax = 3;
  @Milliseconds() retryDelayMs = 30_000;
  @Milliseconds() retryDelayMaxMs = 600_000;
  @Count() mailboxLengthMax = 10_000;
  @Count() turnMessagesMax = 500;
}

/** config/proctor.yaml */
export class ServerFile {
  @NameList() suites: string[] = [HOST];
  @ArchitectureList() architectures: string[] = [HOST];
  @NameList() backends: string[] = ['unshare'];
  @IsOptional() @IsString() @MaxLength(100) defaultBackend?: string;
  @NameList() variants: string[] = ['autopkgtest'];
  @IsString() storePath = 'store';
  @ValidateNested() @Type(() => ApiSection) api = new ApiSection();
  @ValidateNested() @Type(() => SchedulerSection) scheduler = new SchedulerSection();
}
