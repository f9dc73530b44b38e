import { IsInt, Max, Min } from 'class-validator';
import { ListeningHost } from './address-rules';
import { AtStart } from './at-start';

/** Where a process has health and metrics for monitors; port 0: nowhere. */
export class MetricsSection {
  @AtStart() @ListeningHost() host = '127.0.0.1';
  @AtStart() @IsInt() @Min(0) @Max(65535) port = 0;
}
