import { MESSAGE_LENGTH_MAX, oneLine } from '@proctor/contracts';
import type { Judgement } from './verdict';

/** The resources that were exhausted during an attempt. */
export interface Shortage {
  /** What the machine had too little of, in words; null if nothing was observed. */
  machine: string | null;
  /** Whether the run had used up its own file space. */
  isFileSpaceFull: boolean;
  /** Whether the kernel ended processes of the run because the run had used up its own memory. */
  isMemoryUsedUp: boolean;
}

/** The worker's limits for each run. */
interface RunSpace {
  runTmpfsBytes: number;
  runMemoryBytesMax?: number | undefined;
}

const MIB = 1024 * 1024;

/**
 * A test that failed while the machine lacked something proves nothing about the package. A test that used up its own
 * file space or memory, while the machine had more, has reached a limit of the worker, and another attempt would too.
 * @param version of the package; once it is known, the testbed had room for its image, and the test used up the rest
 */
export function excusedByShortage(
  judgement: Judgement,
  { machine, ...own }: Shortage,
  version: string | null,
  space: RunSpace,
): Judgement {
  const { verdict, trouble } = judgement;
  if (machine !== null) {
    if (verdict !== 'fail') return judgement;
    const message = `the machine was short while it was tested: ${machine} (${judgement.message})`;
    return {
      ...judgement,
      verdict: 'tmpfail',
      message: oneLine(message, MESSAGE_LENGTH_MAX),
      trouble: 'machine',
    };
  }
  const isBroken = verdict === 'tmpfail' && trouble !== 'limit' && version !== null;
  const used = reachedLimits(own, space);
  if (used.length === 0 || (verdict !== 'fail' && !isBroken)) return judgement;
  const message = `it used up its ${used.join(' and ')}, the worker's limit (${judgement.message})`;
  return {
    ...judgement,
    verdict: 'tmpfail',
    message: oneLine(message, MESSAGE_LENGTH_MAX),
    trouble: 'limit',
  };
}

function reachedLimits(
  { isFileSpaceFull, isMemoryUsedUp }: Omit<Shortage, 'machine'>,
  { runTmpfsBytes, runMemoryBytesMax = 0 }: RunSpace,
): string[] {
  return [
    ...(isFileSpaceFull ? [`${Math.floor(runTmpfsBytes / MIB)} MiB of file space`] : []),
    ...(isMemoryUsedUp ? [`${Math.floor(runMemoryBytesMax / MIB)} MiB of memory`] : []),
  ];
}
