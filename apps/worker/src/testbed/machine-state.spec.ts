import { tmpdir } from 'node:os';
import { MachineState } from '@proctor/contracts';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { findMachineState, machineState } from './machine-state';

const MIB = 1024 * 1024;

it('the load counts by processor, and room in whole MiB', () => {
  expect(machineState({ load: 3, processors: 4, disk: 5.9 * MIB }, 2 * MIB)).toEqual({
    loadPercent: 75,
    freeDiskMib: 5,
    freeDiskMibMin: 2,
  });
});

it('whatever the machine has, a scheduler accepts its state', () => {
  const state = machineState({ load: 1e9, processors: 1, disk: 2 ** 70 }, 2 ** 70);
  expect(validateSync(plainToInstance(MachineState, state))).toEqual([]);
  expect(findMachineState({ workPath: tmpdir(), freeDiskBytesMin: 0 })).toEqual({
    loadPercent: expect.any(Number),
    freeDiskMib: expect.any(Number),
    freeDiskMibMin: 0,
  });
  expect(findMachineState({ workPath: '/nonesuch', freeDiskBytesMin: 0 })).toBeUndefined();
});
