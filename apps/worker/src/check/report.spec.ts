import type { Findings } from './findings';
import { isUsable, renderFindings } from './report';

const HOUR_MS = 3_600_000;

const RECORD = { suite: 'bookworm', arch: 'amd64', recipe: '', release: null, provedBoot: '', mode: 'tcg' };

function findings(unshare: string | null, executable = true): Findings {
  return {
    backends: [
      { name: 'unshare', isConfigured: true, isolation: 'namespaces', problem: unshare, images: [] },
      {
        name: 'qemu',
        isConfigured: false,
        isolation: 'virtual machine',
        problem: null,
        images: [{ ...RECORD, builtAt: 10 * HOUR_MS }],
      },
    ],
    architectures: [
      { name: 'amd64', isServed: true, problem: null },
      { name: 'arm64', isServed: false, problem: 'qemu-user-static missing' },
      { name: 's390x', isServed: false, problem: 'qemu-user-static missing' },
    ],
    variants: [{ name: 'autopkgtest', program: 'autopkgtest', version: null, isExecutable: executable }],
  };
}

it('the report of a check is a page of tables that ends in a verdict', () => {
  const lines = renderFindings(findings(null), 15 * HOUR_MS);
  expect(lines).toContain('  backend  offered  usable  a test has');
  expect(lines).toContain('  qemu     no       yes     virtual machine');
  expect(lines).toContain('  qemu     bookworm  amd64         5 h  tcg');
  expect(lines).toContain('  autopkgtest  autopkgtest  unknown  yes');
  expect(lines).toContain('  arm64, s390x: qemu-user-static missing');
  expect(lines.at(-1)).toBe('This machine can run tests.');
});

it.each([
  [findings(null), true, 'This machine can run tests.'],
  [
    findings('mmdebstrap missing: apt-get install mmdebstrap'),
    false,
    'This machine cannot run tests as it is configured; it could with backends: [qemu].',
  ],
  [findings(null, false), false, 'This machine cannot run tests: none of its variants can be executed.'],
])('the report of a check says what is missing', (checkReport, usable, verdict) => {
  expect(isUsable(checkReport)).toBe(usable);
  const lines = renderFindings(checkReport, 0);
  expect(lines.at(-1)).toBe(verdict);
  for (const { name, problem } of checkReport.backends) {
    if (problem !== null) expect(lines).toContain(`  ${name}: ${problem}`);
  }
});

it('the report of a check says that variants were not tried where no sandbox works', () => {
  const lines = renderFindings({ ...findings('mmdebstrap missing'), variants: [] }, 0);
  expect(lines).toContain('  not tried: the backends say what is missing');
});
