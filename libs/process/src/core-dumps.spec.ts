import { warnOfCoreDumps } from './core-dumps';

const HEAD = 'Limit                     Soft Limit           Hard Limit           Units     \n';

it.each([
  ['0                    unlimited            bytes', 0],
  ['unlimited            unlimited            bytes', 1],
  ['1048576              unlimited            bytes', 1],
])('a warning is logged where the process may leave a core dump: %s', (limits, warnings) => {
  const warn = jest.fn();
  const text = `${HEAD}Max core file size        ${limits}     \nMax resident set          unlimited            unlimited\n`;
  warnOfCoreDumps({ warn, log: warn, error: warn }, 'Api', text);
  expect(warn).toHaveBeenCalledTimes(warnings);
});

it('the limits of this process are read', () => {
  const warn = jest.fn();
  warnOfCoreDumps({ warn, log: warn, error: warn }, 'Api');
  for (const [text] of warn.mock.calls) expect(text).toMatch(/core dump/);
});
