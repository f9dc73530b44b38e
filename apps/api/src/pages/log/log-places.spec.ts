import { LogIndexer } from '@proctor/result-files';
import type { LogIndex } from '@proctor/result-files';
import { beyond, errorSteps, lineUrl } from './log-places';

const INDEX: LogIndex = {
  ...new LogIndexer(/x/).end(),
  lines: 900,
  marks: [10, 400, 450, 800],
  marksTotal: 4,
  sections: [1, 100, 420, 700].map((line) => ({
    kind: 'test',
    name: 't',
    line,
    status: null,
    seconds: null,
  })),
};

it('what is next to the part that a page shows is known, on both sides', () => {
  expect(beyond(INDEX, { first: 300, last: 500 }, '/log?')).toEqual({
    previousError: '/log?from=10#L10',
    nextError: '/log?from=800#L800',
    previousPart: '/log?from=100#L100',
    nextPart: '/log?from=700#L700',
  });
  expect(beyond(INDEX, { first: 1, last: 900 }, '/log?')).toEqual({
    previousError: null,
    nextError: null,
    previousPart: null,
    nextPart: null,
  });
});

it.each<[number | null, number | null, string | null, string | null]>([
  [null, null, null, '/log?from=10#L10'],
  [10, 1, null, '/log?from=400#L400'],
  [420, null, '/log?from=400#L400', '/log?from=450#L450'],
  [800, 4, '/log?from=450#L450', null],
])(
  'from line %p, which is error %p, errors are gone to one by one',
  (focus, number, previousUrl, nextUrl) => {
    expect(errorSteps(INDEX, focus, '/log?')).toEqual({
      total: 4,
      keptMarks: null,
      number,
      previousUrl,
      nextUrl,
    });
  },
);

it('links lead to the first of very many errors, and the page says how many there are', () => {
  expect(errorSteps({ ...INDEX, marksTotal: 9_000 }, 1, '/log?')).toMatchObject({
    total: 9_000,
    keptMarks: 4,
  });
});

it('the address of a line is a place on the page where it is shown', () => {
  expect([300, 500, 501].map((line) => lineUrl(line, { first: 300, last: 500 }, '/log?'))).toEqual([
    '#L300',
    '#L500',
    '/log?from=501#L501',
  ]);
});
