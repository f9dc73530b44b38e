import type { AffectedRun } from '@proctor/database';
import { firstOfEachPlace } from './affected-by';

it('each place of a package has its first run that failed, the newest first', () => {
  const run = (runId: number, name: string, arch = 'amd64'): AffectedRun => {
    const rest = { version: '1', date: new Date(0), passedRunId: 1, changed: 'libfoo', from: '1', to: '2' };
    return { runId, package: name, suite: 'sid', arch, verdict: 'fail', ...rest };
  };
  const runs = [run(9, 'a'), run(8, 'b'), run(7, 'a', 'arm64'), run(5, 'a')];
  expect(firstOfEachPlace(runs).map(({ runId }) => runId)).toEqual([8, 7, 5]);
});
