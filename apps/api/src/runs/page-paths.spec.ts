import { artifactsPath, comparisonPath, logLinePath, logPath, shortRunPath } from './page-paths';

const run = { package: 'libfoo', suite: 'sid', arch: 'amd64', runId: 12 };

it('what belongs to a run stands below its page', () => {
  const page = '/packages/libf/libfoo/sid/amd64/12/';
  expect([logPath(run), logPath(run, 3)]).toEqual([`${page}log`, `${page}log?attempt=3`]);
  expect([logLinePath(run, 40), artifactsPath(run)]).toEqual([`${page}log?from=40#L40`, `${page}artifacts/`]);
});

it('runs are reached and compared by their ids alone', () => {
  expect([shortRunPath(12), comparisonPath(11, 12)]).toEqual(['/runs/12', '/compare/11...12']);
});
