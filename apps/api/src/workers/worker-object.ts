import type { WorkerResource } from '@proctor/resources';
import { timestamp } from '@proctor/contracts';
import type { WorkerStatus } from '@proctor/contracts';
import { secondFromNow } from '../dispatchers/explanation.service';

export function workerObject(arch: string, status: WorkerStatus): WorkerResource {
  const {
    worker,
    slots,
    busy,
    standing,
    reason,
    untilMs,
    drained,
    problem,
    version,
    protocol,
    machine,
    testbeds,
    testbedsLeftOut,
    variants,
    sizeClasses,
  } = status;
  return {
    name: worker,
    arch,
    slots,
    busy,
    standing,
    reason: reason ?? null,
    until: untilMs === undefined ? null : timestamp(secondFromNow(untilMs)),
    drained: drained ?? null,
    problem: problem ?? null,
    version: version ?? null,
    protocol: protocol ?? 1,
    ...(machine && {
      machine: {
        load_percent: machine.loadPercent,
        free_disk_mib: machine.freeDiskMib,
        free_disk_mib_min: machine.freeDiskMibMin,
      },
    }),
    testbeds,
    ...(testbedsLeftOut !== undefined && { testbeds_left_out: testbedsLeftOut }),
    variants,
    size_classes: sizeClasses,
  };
}
