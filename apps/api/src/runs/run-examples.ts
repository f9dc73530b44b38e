import { NO_OPTIONS, resultOptions } from '@proctor/request-fields';

// Runs for the examples in the API's document.

const FINISHED = {
  ...resultOptions(NO_OPTIONS),
  trigger: 'glibc/2.40-1',
  package: 'hello',
  arch: 'amd64',
  suite: 'trixie',
  version: '2.10-3',
  status: 'pass',
  run_id: 12,
  updated_at: '2026-11-20T15:41:21.456Z',
  date: '2026-11-20T15:41:21.456Z',
  duration_seconds: 30,
  created_at: '2026-11-20T15:40:51.123Z',
  backend: 'unshare',
  autopkgtest: 'autopkgtest',
  pin_packages: [['src:glibc', 'sid']],
  message: 'All tests passed',
  exit_code: 0,
  worker: 'worker1',
  attempt: 1,
  state: 'finished',
  verdict: 'pass',
  trouble: null,
  superseded_by: null,
  log_url: '/data/autopkgtest/trixie/amd64/h/hello/12/log.gz',
  artifacts_url: '/data/autopkgtest/trixie/amd64/h/hello/12/artifacts.tar.gz',
  page_url: '/runs/12',
};

const WAITING = {
  ...FINISHED,
  trigger: null,
  version: null,
  status: null,
  run_id: 13,
  is_private: true,
  extra_apt_sources: ['backports'],
  updated_at: '2026-11-20T15:40:51.123Z',
  date: null,
  duration_seconds: null,
  pin_packages: [],
  message: null,
  exit_code: null,
  worker: null,
  attempt: 0,
  state: 'queued',
  verdict: null,
  log_url: null,
  artifacts_url: null,
  page_url: '/runs/13',
  position: 4,
  ahead: 3,
  estimated_start: '2026-11-20T15:52:00.000Z',
  reasons: ['all 8 slots are busy', '2 runs of higher priority are ahead of it'],
  facts: [
    {
      id: 1,
      kind: 'requested',
      state: 'queued',
      attempt: 0,
      actor: 'user alice',
      reason: null,
      at: '2026-11-20T15:40:51.123Z',
    },
  ],
};

const CANCELLED = {
  ...FINISHED,
  trigger: null,
  version: 'n/a',
  status: 'tmpfail',
  run_id: 14,
  duration_seconds: null,
  pin_packages: [],
  message: 'cancelled by alice',
  exit_code: null,
  worker: null,
  attempt: 0,
  verdict: 'tmpfail',
  log_url: null,
  artifacts_url: null,
  page_url: '/runs/14',
};

export const FINISHED_RUN = { summary: 'A run that passed', value: FINISHED };
export const WAITING_RUN = { summary: 'A run that waits', value: WAITING };
export const CANCELLED_RUN = { summary: 'A run that was cancelled', value: CANCELLED };
