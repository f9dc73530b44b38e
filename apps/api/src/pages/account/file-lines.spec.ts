import { linesOf } from './file-lines';

const FILE = `[
  { "suite": "sid", "arch": ["amd64"],
    "tests": [
      { "package": "hello" },
      { "package": 5,
        "a/b": 1 }
    ] }
]
`;

it.each([
  ['#/0', 2],
  ['#/0/tests/0/package', 4],
  ['#/0/tests/1/package', 5],
  ['#/0/tests/1/a~1b', 6],
  ['#/0/tests/1/trigger', 5],
  ['#/7', null],
  ['#', null],
])('the value at %s begins in line %p', (pointer, line) => {
  expect(linesOf(FILE)(pointer)).toBe(line);
});

it('a file that is not JSON, or a long one, has no lines', () => {
  expect(linesOf('["hello", ')('#/0')).toBeNull();
  expect(linesOf(`[${' '.repeat(70_000)}5]`)('#/0')).toBeNull();
});
