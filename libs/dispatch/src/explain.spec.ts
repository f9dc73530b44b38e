import type { Testbed } from '@proctor/contracts';
import { ARCH, leaseRequest, settings, SUITE, waitingRun } from '../../../test/support/runs';
import { DispatcherState } from './dispatcher-state';
import { step } from './step';

const RUN = waitingRun(5);

function reasonsAfter(
  asks: Parameters<typeof leaseRequest>[0][],
  others = [] as (typeof RUN)[],
  now = 0,
): string[] {
  const state = new DispatcherState(ARCH, 1, settings(), [{ ...RUN }, ...others], 0);
  for (const ask of asks) step(state, { kind: 'lease', request: leaseRequest(ask) }, 0);
  return step<'explain'>(state, { kind: 'explain', runId: RUN.runId }, now).reply.reasons;
}

function testbed(state: Testbed['state'], detail?: string, changes: Partial<Testbed> = {}): Testbed[] {
  return [{ suite: SUITE, backend: 'unshare', state, ...(detail !== undefined && { detail }), ...changes }];
}

describe('why a run waits', () => {
  it.each([
    ['nobody asked', [], ['no worker has asked for work on amd64 yet']],
    [
      'no such backend',
      [{ testbeds: testbed('ready', undefined, { backend: 'qemu' }) }],
      ['no worker offers backend unshare'],
    ],
    [
      'no such suite',
      [{ testbeds: testbed('ready', undefined, { suite: 'sid' }) }],
      ['no worker offers suite trixie on backend unshare'],
    ],
    ['no such variant', [{ variants: ['stub'] }], ['no worker offers variant autopkgtest']],
    [
      'the image is being built',
      [{ testbeds: testbed('building', 'for 12 s') }],
      ['worker w1 is building the image trixie/amd64 (for 12 s)'],
    ],
    [
      'the image could not be built',
      [{ testbeds: testbed('failed', 'no space left') }],
      ['worker w1 could not build the image trixie/amd64: no space left'],
    ],
    [
      'the image is absent',
      [{ testbeds: testbed('absent') }],
      ['worker w1 has yet to build the image trixie/amd64'],
    ],
    [
      'the suite is new to a worker that builds any',
      [{ testbeds: [], builds: ['unshare'] }],
      ['worker w1 has yet to build the image trixie/amd64'],
    ],
    [
      'the worker has a problem',
      [{ testbeds: [], problem: 'no usable backend: uidmap is missing' }],
      ['worker w1: no usable backend: uidmap is missing'],
    ],
  ])('%s', (_, asks, reasons) => expect(reasonsAfter(asks)).toEqual(reasons));

  it('a sound worker is enough, whatever is wrong with another', () => {
    expect(
      reasonsAfter([{ worker: 'w0', problem: 'the disk is full' }, { testbeds: testbed('building') }]),
    ).toEqual(['worker w1 is building the image trixie/amd64', 'worker w0: the disk is full']);
  });

  it('others go before it, and the slots are busy', () => {
    const others = [1, 2, 3].map((runId) => waitingRun(runId));
    expect(reasonsAfter([{}], others)).toEqual([
      'the one slot that can execute it is busy',
      '2 runs go before it',
    ]);
  });

  it('a worker that fell silent does not count', () => {
    const ask = { testbeds: testbed('building') };
    expect(reasonsAfter([ask], [], 60_001)).toEqual(['no worker of amd64 was heard of in the last 60 s']);
  });

  it('a pause after an attempt without a result', () => {
    const state = new DispatcherState(ARCH, 1, settings(), [{ ...RUN }], 0);
    step(state, { kind: 'reports-drained' }, 0);
    step(state, { kind: 'lease', request: leaseRequest() }, 0);
    expect(step<'explain'>(state, { kind: 'explain', runId: 5 }, 0).reply.reasons).toEqual([]);
    step(state, { kind: 'tick', hearing: true }, 60_000);
    expect(step<'explain'>(state, { kind: 'explain', runId: 5 }, 70_000).reply.reasons[0]).toBe(
      'waits 20 s more after attempt 1 ended: worker w1 was silent for 60 s',
    );
  });
});

it('the status names living workers and their busy slots', () => {
  const state = new DispatcherState(ARCH, 1, settings(), [{ ...RUN }], 0);
  step(state, { kind: 'lease', request: leaseRequest() }, 0);
  step(state, { kind: 'lease', request: leaseRequest({ slot: 1 }) }, 0);
  expect(step<'status'>(state, { kind: 'status' }, 0).reply).toMatchObject({
    epoch: 1,
    workers: [{ worker: 'w1', slots: 2, busy: 1, variants: ['autopkgtest'] }],
  });
});
