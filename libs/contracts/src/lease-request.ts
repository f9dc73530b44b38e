import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { Grant } from './grant';
import { HasKnownWords } from './known-words';
import { MachineState } from './machine';
import { FEATURES_MAX } from './protocol';
import { HasBytesMax } from './size';
import { EXPLANATION_LENGTH_MAX, IsText } from './text';
import { IsWholeFrom } from './whole-number';

/** A worker's name is a token of a NATS subject. */
export const WORKER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** The most earlier lives of a worker that a request may name. */
export const PREVIOUS_MAX = 20;

/** The highest number of a slot. */
export const SLOT_MAX = 9999;

/** The most slots of a worker, and so of those that are busy elsewhere. */
const BUSY_ELSEWHERE_MAX = 1000;

/** The sender: one slot of one life of a worker process. */
export class SlotIdentity {
  @Matches(WORKER_NAME)
  worker: string;

  /** Chosen at each start of the worker process: a lease of an earlier incarnation is lost. */
  @IsUUID()
  incarnation: string;

  /** 0 is the first slot. */
  @IsWholeFrom(0, SLOT_MAX)
  slot: number;
}

/** The most testbeds that a request names, and their bytes in it: the largest request fits into a message. */
export const TESTBEDS_MAX = 1000;
export const TESTBEDS_BYTES_MAX = 256 * 1024;

/** The most variants, size classes and backends, each, that a request names. */
export const OFFERED_MAX = 100;

export const TESTBED_STATES = ['ready', 'absent', 'building', 'failed'] as const;
export type TestbedState = (typeof TESTBED_STATES)[number];

/** An image that the worker has, builds, or could build for the architecture. */
export class Testbed {
  @IsText(100)
  suite: string;

  @IsText(100)
  backend: string;

  @IsIn(TESTBED_STATES)
  state: TestbedState;

  /** A text for people: "building for 12 s", or why the last build failed. */
  @IsOptional()
  @IsText(EXPLANATION_LENGTH_MAX)
  detail?: string;
}

/** A slot's result of a canary test; repeated with each request until one is answered. */
export class CanaryResult {
  @IsText(100)
  canary: string;

  @IsBoolean()
  passed: boolean;

  /** One sentence for people. */
  @IsText(EXPLANATION_LENGTH_MAX)
  message: string;
}

/** The most grants that a request names. */
export const KEPT_MAX = 100;

/** `proctor.rpc.{arch}.{worker}.lease`: a free slot requests a lease. */
export class LeaseRequest extends SlotIdentity {
  /**
   * Earlier lives of this worker that have certainly ended, the latest first: if the life that the
   * dispatcher knows is among them, this one replaces it at once.
   */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(PREVIOUS_MAX)
  @IsUUID(undefined, { each: true })
  previous?: string[];

  /** Identifies this request; the answer repeats it, and the slot accepts only the answer that it waits for. */
  @IsUUID()
  ask: string;

  @IsArray()
  @ArrayMaxSize(TESTBEDS_MAX)
  @HasBytesMax(TESTBEDS_BYTES_MAX)
  @HasKnownWords('state', TESTBED_STATES)
  @ValidateNested({ each: true })
  @Type(() => Testbed)
  testbeds: Testbed[];

  @IsArray()
  @ArrayMaxSize(OFFERED_MAX)
  @IsString({ each: true })
  @MaxLength(100, { each: true })
  variants: string[];

  /** Backends for which the worker could build an image of a suite that is not among its testbeds. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(OFFERED_MAX)
  @IsString({ each: true })
  @MaxLength(100, { each: true })
  builds?: string[];

  /**
   * Why the worker accepts no work now, for people; such a request is granted nothing. The answer names the lease that the slot
   * already has, which the slot then hands back.
   */
  @IsOptional()
  @IsText(EXPLANATION_LENGTH_MAX)
  problem?: string;

  /** Classes of big packages for which the slot has room; others go anywhere. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(OFFERED_MAX)
  @IsString({ each: true })
  @MaxLength(100, { each: true })
  sizeClasses?: string[];

  /** The slot executes private runs alone. */
  @IsOptional()
  @IsBoolean()
  privateRunsOnly?: boolean;

  /**
   * The slot accepts nothing now. The answer names the lease that the slot has here, if any, so that it can hand it back: an
   * earlier answer may have been lost. Such requests are also sent while all slots are busy with other architectures.
   */
  @IsOptional()
  @IsBoolean()
  onlyHeld?: boolean;

  /** Slots of this worker that execute public runs of other architectures: they are not free here. None when absent. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(BUSY_ELSEWHERE_MAX)
  @IsWholeFrom(0, SLOT_MAX, { each: true })
  busyElsewhere?: number[];

  /**
   * True if a signal can wake the slot for work: when it is granted nothing, the answer may let it ask again much
   * later. The feature of this name replaces the field, but dispatchers of the last release know only the field.
   */
  @IsOptional()
  @IsBoolean()
  wakeable?: boolean;

  /** See PROTOCOL; the first when absent. */
  @IsOptional()
  @IsWholeFrom(1, 1_000_000)
  protocol?: number;

  /** See WORKER_FEATURES; others are ignored. None when absent. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(FEATURES_MAX)
  @IsString({ each: true })
  @MaxLength(100, { each: true })
  features?: string[];

  /** The version of the worker's program, for people. */
  @IsOptional()
  @IsText(100)
  version?: string;

  /**
   * Grants of this architecture whose results wait on this worker's disk for the dispatcher's answer: no slot should be
   * granted their runs meanwhile.
   */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(KEPT_MAX)
  @ValidateNested({ each: true })
  @Type(() => Grant)
  kept?: Grant[];

  /** The result of the canary test that an earlier answer requested. */
  @IsOptional()
  @ValidateNested()
  @Type(() => CanaryResult)
  canary?: CanaryResult;

  /** Absent in messages of earlier versions, as in a renewal. */
  @IsOptional()
  @ValidateNested()
  @Type(() => MachineState)
  machine?: MachineState;
}
