import { historyPath, packagePath, runPath } from './page-paths';

it("a run's page is below that of its history, which is below that of its package", () => {
  const run = { package: 'libfoo', suite: 'sid', arch: 'amd64', runId: 12 };
  expect(packagePath('libfoo')).toBe('/packages/libf/libfoo/');
  expect(historyPath(run)).toBe('/packages/libf/libfoo/sid/amd64/');
  expect(runPath(run)).toBe('/packages/libf/libfoo/sid/amd64/12/');
});
