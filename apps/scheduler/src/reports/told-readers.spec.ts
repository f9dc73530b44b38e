import { MemoryBroker, MemoryBus } from '@proctor/bus/testing';
import { SUBJECTS } from '@proctor/contracts';
import { MemoryStore } from '../../../../test/simulation/world/memory-store';
import { VirtualClock } from '../../../../test/simulation/world/virtual-clock';
import { ARCH, finishedReport } from '../../../../test/support/runs';
import { ClaimTimer } from './claim-timer';
import { FinishedReports } from './finished-reports';

it('those who wait for results are told once of reports that are recorded together, and again of a later one', async () => {
  const bus = new MemoryBus(new MemoryBroker());
  const dispatchers = { ask: () => Promise.resolve('counts') };
  const journal = { reportState: () => Promise.resolve('reported' as const) };
  const timer = new ClaimTimer(new VirtualClock(), () => 15_000);
  const reports = new FinishedReports(dispatchers as never, journal, bus, new MemoryStore(), timer);
  const told = jest.fn();
  bus.subscribe(SUBJECTS.resultsChanged, told);
  const heard = () => new Promise((resolve) => bus.subscribe(SUBJECTS.resultsChanged, resolve));
  const takes = (runId: number) => reports.take(ARCH, finishedReport(runId, 1));
  await Promise.all([heard(), takes(1), takes(2), takes(3)]);
  expect(told).toHaveBeenCalledTimes(1);
  await Promise.all([heard(), takes(4)]);
  expect(told).toHaveBeenCalledTimes(2);
});
