import { IsInt, Max, Min } from 'class-validator';
import { ListeningHost } from './address-rules';
import { AtStart } from './at-start';

/** The address on which a process serves health and metrics for monitors; with port 0 it serves none. */
export class MetricsSection {
  @AtStart() @ListeningHost() host = '127.0.0.1';
  @AtStart() @IsInt() @Min(0) @Max(65535) port = 0;
}
