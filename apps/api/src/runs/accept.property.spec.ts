import fc from 'fast-check';
import { apiConfiguration } from '@test/support/api-configuration';
import { codePoint } from '@test/support/code-point';
import { Problem } from '../http/problem';
import { jsonParameters } from '../http/parameters';
import { accept } from './accept';
import { TestListPipe } from './submission.pipes';
import { submittedAt } from './submitted-items';
import { atOnce } from '../http/slices';

const configuration = apiConfiguration();
const pipe = new TestListPipe(configuration);

const oddValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('\0', '\ud800', 'hello', 'trixie', 'a'.repeat(300)),
);
const item = fc.oneof(
  oddValue,
  fc.record(
    {
      package: fc.oneof({ weight: 5, arbitrary: fc.constantFrom('hello', 'blocked', 'Bad') }, oddValue),
      trigger: fc.oneof(fc.string({ unit: codePoint }), oddValue),
      'pin-packages': fc.oneof(
        fc.array(fc.tuple(fc.constantFrom('a1', 'src:b1', ' '), fc.constantFrom('trixie', 'x'))),
        oddValue,
      ),
      is_private: fc.oneof(fc.boolean(), oddValue),
      'extra-apt-sources': fc.oneof(fc.array(fc.constantFrom('backports', 'inner')), oddValue),
      priority: fc.oneof(fc.integer({ min: -1, max: 12 }), oddValue),
      __proto__: oddValue,
      unknown: oddValue,
    },
    { requiredKeys: [] },
  ),
  fc.constant({ package: 'hello' }),
);

const priority = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(null, 5) }, oddValue);

it('every item of any list is decided, or the list is refused with a Problem, and never half of it', () => {
  let accepted = 0;
  let refusals = 0;
  fc.assert(
    fc.property(fc.array(item, { maxLength: 4 }), priority, (tests, ofAll) => {
      try {
        const items = atOnce(pipe.steps(jsonParameters({ tests, priority: ofAll })));
        const submission = atOnce(accept(submittedAt(items, 'bookworm', 'amd64'), 'bob', configuration));
        expect(submission.runs.length + submission.ignored.length).toBe(tests.length);
        expect(submission.runs.every((run) => /^[a-z0-9][a-z0-9+.-]+$/.test(run.package))).toBe(true);
        expect(JSON.stringify(submission)).toMatch(/^\{"runs":/);
        accepted += 1;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        expect(error.status).toBe(400);
        refusals += 1;
      }
    }),
    { numRuns: 2_000 },
  );

  expect(Math.min(accepted, refusals)).toBeGreaterThan(100);
});
