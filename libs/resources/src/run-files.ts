import { TEST_STATUSES, type TestStatus } from '@proctor/contracts';
import { Field } from './field';
import { flag, listOf, orNull, text, whole, words } from './schema';
import { RUN_ID } from './values';

export class LogSectionResource {
  @Field(
    words(['start', 'setup', 'preparation', 'test', 'summary']),
    "`start` is what comes before the runner's first own line, `setup` the testbed and the source, `preparation` and `test` are of one test, `summary` is what the runner says of all.",
  )
  kind: 'start' | 'setup' | 'preparation' | 'test' | 'summary';

  @Field(text(), "The test's name, or the runner's words.")
  name: string;

  @Field(whole({ minimum: 1 }), 'Its first line.')
  line: number;

  @Field(orNull(words(TEST_STATUSES)), 'Only for a test.')
  status: TestStatus | null;

  @Field(orNull(whole()), 'How long the test ran; null for other parts.')
  seconds: number | null;
}

export class LogIndexResource {
  @Field(RUN_ID)
  run_id: number;

  @Field(whole({ minimum: 1 }))
  attempt: number;

  @Field(flag(), '`true` for the log that is kept, `false` for what there is of a live one.')
  is_complete: boolean;

  @Field(whole({ minimum: 0 }), 'The length of the decompressed log.')
  bytes: number;

  @Field(whole({ minimum: 0 }))
  lines: number;

  @Field(listOf(LogSectionResource, { maxItems: 1000 }))
  sections: LogSectionResource[];

  @Field(listOf(whole({ minimum: 1 }), { maxItems: 2000 }), 'The numbers of the lines with errors.')
  errors: number[];

  @Field(whole({ minimum: 0 }))
  errors_total: number;
}

export class LogHitResource {
  @Field(whole({ minimum: 1 }))
  line: number;

  @Field(text(), 'The part of the line around what was found.')
  text: string;
}

export class LogHits {
  @Field(RUN_ID)
  run_id: number;

  @Field(whole({ minimum: 1 }))
  attempt: number;

  @Field(flag(), '`true` for the log that is kept, `false` for what there is of a live one.')
  is_complete: boolean;

  @Field(listOf(LogHitResource))
  hits: LogHitResource[];

  @Field(orNull(whole()), 'The line from which on nothing was searched yet; null when all was.')
  next: number | null;
}

export class ArtifactFile {
  @Field(text())
  path: string;

  @Field(whole({ minimum: 0 }))
  bytes: number;
}

export class Artifacts {
  @Field(RUN_ID)
  run_id: number;

  @Field(whole({ minimum: 1 }))
  attempt: number;

  @Field(orNull(whole()), 'The size of the archive; null if the attempt left none.')
  archive_bytes: number | null;

  @Field(listOf(ArtifactFile))
  files: ArtifactFile[];

  @Field(whole({ minimum: 0 }), 'All, also those that are not listed.')
  total: number;
}

export class PackageVersionsResource {
  @Field(text())
  name: string;

  @Field(text())
  version: string;

  @Field(words(['tests', 'testbed']), 'Installed or upgraded for the tests, or as it was in the testbed.')
  part: 'tests' | 'testbed';

  @Field(orNull(text()), 'What the testbed had of it before; null when it had none, or this one.')
  before: string | null;

  @Field(
    orNull(text()),
    "That apt fetched it from for the tests, by its name in apt's sources; null when that is not known.",
  )
  suite: string | null;
}

export class InstalledPackagesResource {
  @Field(RUN_ID)
  run_id: number;

  @Field(orNull(text()), 'The kernel of the testbed; null if it is unknown.')
  kernel: string | null;

  @Field(
    orNull(text()),
    'The suite that apt took all packages from, since the pins could not be kept; null when it did not.',
  )
  fallback_release: string | null;

  @Field(orNull(listOf(PackageVersionsResource)), 'Null if there is no list, or not yet.')
  packages: PackageVersionsResource[] | null;
}
