// What the command line reads of the API's answers; the whole of them is in the OpenAPI document.

import type { RunState, Status, TestResult, WorkerStanding } from '@proctor/contracts';
import type { DeliveryState } from '@proctor/database';

export interface FactAnswer {
  kind: string;
  state: string;
  attempt: number;
  actor: string;
  reason: string | null;
  at: string;
}

export interface RunAnswer {
  run_id: number;
  package: string;
  suite: string;
  arch: string;
  trigger: string | null;
  version: string | null;
  status: Status;
  /** Absent in the answers of earlier versions. */
  verdict?: string | null;
  state: RunState;
  is_private: boolean;
  pin_packages: [string, string][];
  extra_apt_sources: string[];
  backend: string;
  autopkgtest: string;
  priority: number;
  message: string | null;
  exit_code: number | null;
  worker: string | null;
  attempt: number;
  created_at: string;
  date: string | null;
  duration_seconds: number | null;
  log_url: string | null;
  artifacts_url: string | null;
  page_url: string;
  /** Of one run that waits. */
  position?: number | null;
  ahead?: number | null;
  estimated_start?: string | null;
  reasons?: string[];
  /** Of one run. */
  tests?: TestResult[];
  facts?: FactAnswer[];
}

export interface RunListAnswer {
  results: RunAnswer[];
  before: number | null;
}

interface IgnoredAnswer {
  index: number;
  package: string;
  reason: 'reject-list' | 'invalid-name';
  arch?: string;
}

export interface SubmittedAnswer {
  runs: { run_id: number; package: string; suite: string; arch: string }[];
  ignored: IgnoredAnswer[];
  warnings: string[];
}

export interface TriedSubmissionAnswer {
  dry_run: true;
  runs: { package: string; suite: string; arch: string; doubles: number | null }[];
  ignored: IgnoredAnswer[];
  waits: { suite: string; arch: string; runs: number; waiting: number; estimate_seconds: number | null }[];
  warnings: string[];
}

export interface TriageAnswer {
  conclusion: string;
  step: { kind: 'retry' | 'refresh' | 'report' | 'nothing'; package?: string };
  evidence: { question: string; answer: string }[];
}

export interface DecisionAnswer {
  by: string;
  reason: string;
  since: string;
}

export interface QueueAnswer {
  suite: string;
  arch: string;
  waiting: number;
  running: number;
  oldest_at: string | null;
  rate_per_hour: number;
  wait_seconds: number | null;
  estimate_seconds: number | null;
  paused: DecisionAnswer | null;
  reasons: string[];
}

/** A worker as the dispatcher of an architecture sees it. */
export interface WorkerAnswer {
  name: string;
  arch: string;
  slots: number;
  busy: number;
  standing: WorkerStanding;
  reason: string | null;
  until: string | null;
  drained: DecisionAnswer | null;
  problem: string | null;
  testbeds: { suite: string; backend: string; state: string; detail?: string }[];
  variants: string[];
  size_classes: string[];
}

export interface ConnectedWorkersAnswer {
  workers: WorkerAnswer[];
  silent_architectures: string[];
}

export interface WorkerDetailsAnswer {
  name: string;
  registered: {
    architectures: string[];
    since: string;
    last_seen_at: string | null;
    revoked_at: string | null;
    last_refusal: string | null;
  } | null;
  offers: WorkerAnswer[];
  silent_architectures: string[];
  idle_reasons: string[];
  running: RunAnswer[];
  attempts: {
    run_id: number;
    attempt: number;
    package: string;
    suite: string;
    arch: string;
    outcome: string;
    status: Status;
    verdict?: string | null;
    reason: string | null;
    ended_at: string;
  }[];
}

export interface TriggerListAnswer {
  triggers: { trigger: string; runs: number; unfinished: number; failed: number; last_at: string }[];
  before: number | null;
}

export interface TriggerAnswer {
  trigger: string;
  total: number;
  done: number;
  counts: Record<string, number>;
  architectures: { arch: string; total: number; waiting: number; estimate_seconds: number | null }[];
  is_cut: boolean;
  before: number | null;
  tests: {
    group: string;
    signature: string | null;
    result: RunAnswer;
    reference: { run_id: number; status: string; version: string; date: string } | null;
  }[];
}

/** Package, suite, architecture, version; `*` stands for all. */
export type RejectListAnswer = Record<string, Record<string, Record<string, Record<string, ''>>>>;

export interface KnownWebhook {
  id: number;
  url: string;
  description: string;
  /** Null, as of the other lists: all. */
  package: string[] | null;
  suite: string[] | null;
  arch: string[] | null;
  trigger: string | null;
  kinds: string[] | null;
  status: string[] | null;
  mine: boolean;
  private: boolean;
  enabled: boolean;
  disabled_at: string | null;
  disabled_reason: string | null;
  failing_since: string | null;
  old_secret_until: string | null;
  waiting: number;
  created_at: string;
}

export interface DeliveryAnswer {
  id: number;
  run_id: number | null;
  kind: string;
  state: DeliveryState;
  attempts: number;
  next_at: string | null;
  status: number | null;
  error: string | null;
}

/** What was done to tests of a trigger, or would be. */
export interface ManyRunsAnswer {
  is_dry_run: boolean;
  runs: { run_id: number; package: string; suite: string; arch: string; new_run_id: number | null }[];
  refused: { run_id: number; package: string; suite: string; arch: string; reason: string }[];
  left: number;
  estimate: { seconds: number; without: number } | null;
}
