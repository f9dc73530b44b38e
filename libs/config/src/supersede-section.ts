import { NAME_PATTERNS } from '@proctor/contracts';
import { IsBoolean, Matches } from 'class-validator';

/** That a request for a suite ends waiting runs of the same test with an older version in their trigger. */
export class SupersedeSection {
  @Matches(new RegExp(NAME_PATTERNS.word)) suite: string;
  /** Whether it also ends runs that are executed. */
  @IsBoolean() running = false;
  /** Whether it also ends public runs of other users. */
  @IsBoolean() acrossUsers = false;
}
