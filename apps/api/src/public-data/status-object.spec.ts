import type { StatusRecord } from '@proctor/database';
import { finishedRunRecord } from '@test/support/run-record';
import { statusObject } from './status-object';

function record(changes: Partial<StatusRecord> = {}): StatusRecord {
  return { ...finishedRunRecord(), previousStatus: null, lastPass: null, ...changes };
}

it('a status is the result with what the readers of packages.json look for', () => {
  const lastPass = { version: '2.10-2', date: new Date('2026-11-01T00:00:00Z') };
  const status = statusObject(record({ verdict: 'fail', previousStatus: 'pass', lastPass }), 'pass');
  expect(status).toMatchObject({
    package: 'hello',
    status: 'fail',
    version: '2.10-3',
    date: '2026-11-20T10:01:00.000Z',
    trigger: null,
    duration_seconds: 30,
    duration_human: '0h 0m 30s',
    message: 'All tests passed',
    previous_status: 'pass',
    last_pass_version: '2.10-2',
    last_pass_date: '2026-11-01T00:00:00.000Z',
    run_id: 7,
  });
});

it('a status has null for what was before the first run', () => {
  expect(statusObject(record({ verdict: 'tmpfail', version: 'n/a' }), 'pass')).toMatchObject({
    version: 'n/a',
    previous_status: null,
    last_pass_version: null,
    last_pass_date: null,
  });
});

it('a status always has a message and a duration', () => {
  const status = statusObject(record({ message: '', durationSeconds: null }), 'pass');
  expect(status).toMatchObject({ message: 'The run ended as pass.', duration_human: '0h 0m 0s' });
});

it.each(['pass', 'neutral'] as const)('a status words neutral as %s, also where it was before', (neutral) => {
  const status = statusObject(record({ verdict: 'neutral', previousStatus: 'neutral' }), neutral);
  expect(status).toMatchObject({ status: neutral, previous_status: neutral });
});
