import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { BriefRun } from '@proctor/database';
import { atOnce } from '../../http/slices';
import { triggerProgress } from '../../runs/trigger-groups';
import { Assets } from '../layout/assets';
import { followableOf } from '../layout/followable';
import { Templates } from '../layout/templates';
import { sharedErrors } from './shared-errors';
import { triggerMatrix } from './trigger-matrix';
import { triggerView } from './trigger-view';

const PAGE_BYTES_MAX = 60_000;
const PACKAGES = 2_000;
const ARCHITECTURES = ['amd64', 'arm64', 'armel', 'armhf', 'i386', 'ppc64el', 'riscv64', 's390x'];
const ASSETS = new Assets(
  new Map(
    ['style.css', 'client.js', 'sprite.svg', 'icon.svg'].map((name) => [name, `/assets/${name}`] as const),
  ),
);
const finishedAt = new Date('2026-11-20T12:00:00Z');

const words = (of: number): string => createHash('sha256').update(String(of)).digest('hex');

/** All fail, each with an error and a reference of its own, and names of 90 characters that have little in common. */
const runs = Array.from({ length: PACKAGES * ARCHITECTURES.length }, (_none, index): BriefRun => {
  const number = Math.floor(index / ARCHITECTURES.length);
  const verdict = index % 3 === 0 ? ('fail' as const) : ('pass' as const);
  return {
    runId: 90_000_000 + index * 7,
    package: `golang-github-${words(number)}-dev`.padEnd(90, 'a'),
    suite: 'unstable',
    arch: ARCHITECTURES[index % ARCHITECTURES.length]!,
    state: 'finished',
    verdict: 'fail',
    cancelled: false,
    isPrivate: false,
    finishedAt,
    errorSignature: words(index).slice(0, 16),
    reference: { runId: 80_000_000 + index * 11, verdict, version: `1.${index}-1`, date: finishedAt },
  };
});

it('the page of a trigger weighs at most 60 kB, when 2,000 packages fail on 8 architectures, each with its own error', () => {
  const progress = atOnce(triggerProgress(runs, []));
  const errors = sharedErrors(progress.tests);
  const query = { name: '', signature: undefined, after: '' };
  const targets = { suites: ['unstable'], architectures: ARCHITECTURES, neutral: 'pass' as const };
  const table = atOnce(triggerMatrix(progress.tests, errors, query, targets));
  const filter = { group: null, suite: undefined, arch: undefined, signature: undefined };
  const parts = {
    query: filter,
    before: null,
    next: null,
    here: progress.tests,
    listed: [],
    table,
    name: '',
    after: '',
    errors,
    errorLines: new Map<number, string>(),
    notes: new Map<number, never>(),
  };
  const view = triggerView('glibc/2.41-1', progress, parts, 'pass');
  const viewer = { user: { name: 'alice', isAdmin: false }, formToken: words(0), reader: {} };
  const followable = followableOf({ kind: 'trigger', name: 'glibc/2.41-1' }, false);
  const page = { ...view, viewer, followable, links: [], isCut: false };
  const html = new Templates(ASSETS).render('triggers/trigger', page);
  expect(table.rows.length).toBeGreaterThan(50);
  expect(gzipSync(html).length).toBeLessThanOrEqual(PAGE_BYTES_MAX);
});
