import { LogIndexer } from '@proctor/result-files';
import type { LogIndex } from '@proctor/result-files';
import { lineSteps, lineUrl, partsBeyond } from './log-places';

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

const errors = { name: 'error', lines: INDEX.marks, total: 4 } as const;

it('what is next to the part that a page shows is known, on both sides', () => {
  expect(partsBeyond(INDEX, { first: 300, last: 500 }, '/log?')).toEqual({
    previousPart: '/log?from=100#L100',
    nextPart: '/log?from=700#L700',
  });
  expect(lineSteps(errors, null, { first: 300, last: 500 }, '/log?')).toMatchObject({
    before: 1,
    beyond: { previousUrl: '/log?from=10#L10', nextUrl: '/log?from=800#L800' },
  });
  expect(partsBeyond(INDEX, { first: 1, last: 900 }, '/log?')).toEqual({
    previousPart: null,
    nextPart: null,
  });
  expect(lineSteps(errors, null, { first: 1, last: 900 }, '/log?')).toMatchObject({
    before: 0,
    beyond: { previousUrl: null, nextUrl: null },
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
    expect(lineSteps(errors, focus, { first: 1, last: 900 }, '/log?')).toEqual({
      name: 'error',
      total: 4,
      before: 0,
      number,
      previousUrl,
      nextUrl,
      beyond: { previousUrl: null, nextUrl: null },
    });
  },
);

it('links lead to the first of very many errors, and the page says how many there are', () => {
  expect(lineSteps({ ...errors, total: 9_000 }, 10, { first: 1, last: 900 }, '/log?')).toMatchObject({
    total: 9_000,
    number: 1,
    nextUrl: '/log?from=400#L400',
  });
});

it('the address of a line is a place on the page where it is shown', () => {
  expect([300, 500, 501].map((line) => lineUrl(line, { first: 300, last: 500 }, '/log?'))).toEqual([
    '#L300',
    '#L500',
    '/log?from=501#L501',
  ]);
});
