import type { Check } from '../check';
import { equal, problem } from '../expectations';

export const pinChecks: Check[] = [
  {
    id: 'REQ-25',
    title: 'pins of a name, of a source and of a list are taken and shown',
    async run(it) {
      for (const spec of ['hello', 'src:hello', 'src:hello,libc6,src:glibc', 'g++-12']) {
        const runId = await it.submitOne({ 'pin-packages': [[spec, it.suite]] });
        equal((await it.one(runId)).pin_packages, [[spec, it.suite]], 'pin_packages');
      }
    },
  },
  {
    id: 'REQ-26',
    title: 'pins that are no pairs, of an unknown suite, or twice of a suite are bad requests',
    async run(it) {
      const suite = it.suite;
      const bad = [
        [['src:x']],
        [['src:x', suite, 'more']],
        [['src:x', 'no-such-suite']],
        [
          ['src:xx', suite],
          ['src:yy', suite],
        ],
        [[]],
      ];
      for (const pins of bad) problem(await it.post([{ package: it.name(), 'pin-packages': pins }]), 400);
    },
  },
  {
    id: 'REQ-27',
    title: 'a pin that is no list of package names is a bad request',
    async run(it) {
      for (const spec of [
        '',
        ' ',
        'a b',
        'src:',
        'x,,y',
        ',x',
        'Bad_Name',
        'bin:x',
        'hello;x',
        'hello\n',
        '--option',
        'src:src:x',
      ]) {
        problem(await it.post([{ package: it.name(), 'pin-packages': [[spec, it.suite]] }]), 400);
      }
    },
  },
];
