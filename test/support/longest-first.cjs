const { existsSync } = require('node:fs');
const { join } = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

/**
 * What takes a minute or more, about the longest first. Begun last, as jest would, each keeps everybody waiting for it alone.
 * Those that mostly wait for an archive stand between those that keep a processor busy.
 */
const LONG = [
  'end-to-end/bench/bench',
  'end-to-end/worker/backends',
  'end-to-end/api/private-runs',
  'end-to-end/worker/exit-codes',
  'end-to-end/browser/every-page',
  'end-to-end/browser/every-reader',
  'end-to-end/worker/traps',
  'end-to-end/conformance/conformance',
  'simulation/simulation',
  'end-to-end/worker/real-packages',
  'end-to-end/start/start',
  'end-to-end/worker/sandbox-sight',
  'end-to-end/worker/worker-process',
  'end-to-end/run/real',
  'end-to-end/run/faults/revoked-worker',
  'contract/database/polling.property',
  'end-to-end/run/faults/postgres',
  'end-to-end/run/faults/two-schedulers',
  'end-to-end/run/soak',
  'simulation/planted-bugs',
  'end-to-end/worker/results',
  'contract/bus/admission',
].map((name) => join(__dirname, '..', `${name}.spec.ts`));

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const missing = LONG.filter((path) => !existsSync(path));
    if (missing.length > 0)
      throw new Error(`test/support/longest-first.cjs names no test: ${missing.join(', ')}`);
    const place = ({ path }) => (LONG.includes(path) ? LONG.indexOf(path) : LONG.length);
    return super.sort(tests).sort((a, b) => place(a) - place(b));
  }
};
