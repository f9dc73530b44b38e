import { BusContext, IN_VAIN } from '@proctor/bus';
import { MalformedMessage, reportSubject, type Grant } from '@proctor/contracts';
import { ARCH, finishedReport, startedReport } from '@test/support/runs';
import { ReportsController } from './reports.controller';

const GRANT: Grant = { runId: 1, attempt: 2, grantEpoch: 5 };
const request = jest.fn(() => Promise.resolve(true));
const receive = jest.fn(() => Promise.resolve(true));
const refuse = jest.fn(() => Promise.resolve());
const redelivered = jest.fn();
const controller = new ReportsController(
  { request } as never,
  { receive, refuse } as never,
  { add: () => undefined },
  { countRedelivery: redelivered },
);

const on = (grant: Grant) =>
  new BusContext([ARCH, reportSubject(ARCH, 'finished', { worker: 'w1', ...grant }), false]);

beforeEach(() => jest.clearAllMocks());

it('a report whose subject names the same grant is handed over', async () => {
  const report = finishedReport(1, 2, { grantEpoch: 5 });
  await controller.onFinished(report, on(GRANT));
  expect(receive).toHaveBeenCalledWith(ARCH, report);
});

it('a report that comes again is counted', async () => {
  const subject = reportSubject(ARCH, 'finished', { worker: 'w1', ...GRANT });
  await controller.onFinished(finishedReport(1, 2, { grantEpoch: 5 }), new BusContext([ARCH, subject, true]));
  expect(redelivered.mock.calls).toEqual([[ARCH]]);
});

it('a report of an earlier version, which has no epoch, is handed over', async () => {
  await controller.onFinished(finishedReport(1, 2), on({ runId: 1, attempt: 2 }));
  expect(receive).toHaveBeenCalledTimes(1);
});

it.each<[string, { grantEpoch?: number }, Grant]>([
  ['another epoch than', { grantEpoch: 4 }, GRANT],
  ['no epoch, unlike', {}, GRANT],
  ['an epoch, unlike', { grantEpoch: 5 }, { runId: 1, attempt: 2 }],
])('a report whose body has %s its subject is refused', async (_, body, subject) => {
  const answer = controller.onFinished(finishedReport(1, 2, body), on(subject));
  await expect(answer).rejects.toThrow(MalformedMessage);
  expect(receive).not.toHaveBeenCalled();
});

it.each([
  [true, undefined],
  [false, IN_VAIN],
])('the bus learns whether a report changed anything: %s', async (hasChanged, effect) => {
  receive.mockResolvedValueOnce(hasChanged);
  request.mockResolvedValueOnce(hasChanged);
  expect(await controller.onFinished(finishedReport(1, 2, { grantEpoch: 5 }), on(GRANT))).toBe(effect);
  const started = startedReport(1, 2);
  const subject = reportSubject(ARCH, 'started', started);
  expect(await controller.onStarted(started, new BusContext([ARCH, subject, false]))).toBe(effect);
});

it('a refused report is answered by the grant of its subject', async () => {
  await controller.onRefused({ reason: 'it is odd' }, on(GRANT));
  const attempt = expect.objectContaining({ worker: 'w1', ...GRANT }) as object;
  expect(refuse).toHaveBeenCalledWith(ARCH, attempt, 'it is odd');
});
