import { runEvent } from '@test/support/run-event';
import { type EventFilter, isWanted } from '.';

const FINISHED = runEvent({ kind: 'finished', verdict: 'fail', trigger: 'glibc/2.40-4 gcc/14' });
const GRANTED = runEvent({ kind: 'granted', verdict: null, trigger: null });

it.each<[EventFilter, boolean, boolean]>([
  [{}, true, true],
  [{ packages: ['hello', 'figlet'] }, true, true],
  [{ packages: ['figlet'] }, false, false],
  [{ suites: ['sid'], arches: ['amd64'] }, true, true],
  [{ suites: ['trixie'] }, false, false],
  [{ arches: ['arm64'] }, false, false],
  [{ kinds: ['finished', 'corrected'] }, true, false],
  [{ kinds: [] }, false, false],
  [{ verdicts: ['fail', 'tmpfail'] }, true, false],
  [{ verdicts: ['pass'] }, false, false],
  [{ trigger: 'gcc/14' }, true, false],
  [{ trigger: 'gcc/14 glibc/2.40-4' }, true, false],
  [{ trigger: 'gcc/1' }, false, false],
  [{ packages: ['hello'], verdicts: ['pass'] }, false, false],
])('a filter %j wants a failure %s and a grant %s', (filter, failure, grant) => {
  expect([isWanted(filter, FINISHED), isWanted(filter, GRANTED)]).toEqual([failure, grant]);
});
