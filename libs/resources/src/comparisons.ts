import { UNTESTED_VERDICTS } from '@proctor/contracts';
import { Field, OptionalField } from './field';
import { ResultResource } from './runs';
import { flag, listOf, orNull, text, whole, words } from './schema';
import { RUN_ID } from './values';

export class ChangedPackageResource {
  @Field(text())
  package: string;

  @Field(orNull(text()), 'Null where it was not installed.')
  from: string | null;

  @Field(orNull(text()))
  to: string | null;
}

export class AffectedRunResource {
  @Field(text())
  package: string;

  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(RUN_ID)
  run_id: number;

  @Field(text())
  version: string;

  @Field(text({ format: 'date-time' }))
  date: string;

  @Field(RUN_ID)
  passed_run_id: number;

  @Field(ChangedPackageResource)
  changed: ChangedPackageResource;

  @Field(text())
  page_url: string;
}

export class AffectedRuns {
  @Field(listOf(AffectedRunResource))
  runs: AffectedRunResource[];

  @Field(flag(), 'Only the newest runs were looked at.')
  is_cut: boolean;
}

export class ComparedSetting {
  @Field(text())
  name: string;

  @Field(orNull(text()), 'Null where it is not known, empty for nothing.')
  a: string | null;

  @Field(orNull(text()))
  b: string | null;
}

export class ComparedPackage {
  @Field(text())
  name: string;

  @Field(
    orNull(text()),
    'The source package, if one of the runs tested or was triggered by exactly this version of it; else null.',
  )
  source: string | null;

  @Field(orNull(text()), 'Null where it was not installed.')
  a: string | null;

  @Field(orNull(text()))
  b: string | null;

  @Field(orNull(text()), 'The suite from which apt fetched the package for the tests; null if it is unknown.')
  a_suite: string | null;

  @Field(orNull(text()))
  b_suite: string | null;

  @Field(flag(), 'Whether `part` is `tested` or `named`.')
  is_named: boolean;

  @Field(
    words(['tested', 'named', 'tests', 'testbed']),
    '`tested`: of the tested source package; `named`: named by a trigger or pins; `tests`: installed for the tests; `testbed`: a part of the testbed. Packages come in this order; in each part, changed versions come first, then added packages, then removed ones.',
  )
  part: 'tested' | 'named' | 'tests' | 'testbed';
}

export class ComparedPackagesResource {
  @Field(listOf(ComparedPackage))
  changed: ComparedPackage[];

  @Field(whole({ minimum: 0 }))
  same: number;
}

export class ComparisonResource {
  @Field(ResultResource)
  a: ResultResource;

  @Field(ResultResource)
  b: ResultResource;

  @Field(
    listOf(ComparedSetting),
    'Trigger, pins, the image of the testbed and when it was built, backend, worker, kernel and what else was asked for.',
  )
  settings: ComparedSetting[];

  @Field(orNull(ComparedPackagesResource), 'Null when one of the runs has no list of its packages.')
  packages: ComparedPackagesResource | null;

  @Field(listOf(RUN_ID))
  without_list: number[];
}

export class TriageStepResource {
  @Field(words(['retry', 'refresh', 'report', 'nothing']))
  kind: 'retry' | 'refresh' | 'report' | 'nothing';

  @OptionalField(text(), 'Only for `report`: the package in which the bug most likely is.')
  package?: string;
}

export class TriageEvidenceLink {
  @Field(text(), 'The path of a page.')
  path: string;

  @Field(text())
  name: string;
}

export class TriageEvidenceResource {
  @Field(text())
  question: string;

  @Field(text())
  answer: string;

  @Field(listOf(TriageEvidenceLink))
  links: TriageEvidenceLink[];
}

/** Why a run has most likely failed, in the order in which it is checked. One that tested nothing has its verdict here. */
export const TRIAGE_KINDS = [
  'passes-since',
  'under-way',
  ...UNTESTED_VERDICTS,
  'request',
  'infrastructure',
  'fails-in-reference',
  'other-testbed',
  'flaky',
  'no-fresh-reference',
  'shared-error',
  'trigger',
  'one-architecture',
  'own-version',
  'dependency',
  'never-passed',
  'unclear',
] as const;
export type TriageKind = (typeof TRIAGE_KINDS)[number];

export class TriageResource {
  @Field(RUN_ID)
  run_id: number;

  @Field(words(TRIAGE_KINDS))
  kind: TriageKind;

  @Field(text())
  conclusion: string;

  @Field(TriageStepResource)
  step: TriageStepResource;

  @Field(listOf(TriageEvidenceResource))
  evidence: TriageEvidenceResource[];
}
