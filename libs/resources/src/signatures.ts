import { Description, Field } from './field';
import { flag, listOf, orNull, text, whole } from './schema';
import { RUN_ID, TIME } from './values';

export class SignatureExcerpt {
  @Field(whole({ minimum: 1 }), 'Number of the first of them in the log.')
  first_line: number;

  @Field(whole({ minimum: 1 }), 'Number of the line that has the error.')
  error_line: number;

  @Field(listOf(text()))
  lines: string[];
}

@Description('An error that is the same in several runs but for paths, numbers and the like; of public runs.')
export class Signature {
  @Field(text({ pattern: '^[0-9a-f]{16}$' }))
  signature: string;

  @Field(whole({ minimum: 1, maximum: 1000 }), 'Runs that ended with this error; lists count at most 200.')
  count: number;

  @Field(flag(), 'There are more such runs, which are not counted.')
  is_more: boolean;

  @Field(whole({ minimum: 1 }), 'Different packages among the counted runs.')
  packages: number;

  @Field(whole({ minimum: 1 }), 'Different suites and architectures among these.')
  places: number;

  @Field(TIME)
  first_at: string;

  @Field(RUN_ID)
  first_run_id: number;

  @Field(orNull(text()))
  first_trigger: string | null;

  @Field(TIME)
  last_at: string;

  @Field(RUN_ID)
  last_run_id: number;

  @Field(text())
  last_package: string;

  @Field(SignatureExcerpt, 'Lines of the log of the newest run.')
  excerpt: SignatureExcerpt;

  @Field(text())
  page_url: string;
}

export class SignaturePackage {
  @Field(text())
  package: string;

  @Field(whole({ minimum: 1 }))
  count: number;

  @Field(TIME)
  last_at: string;
}

export class SignaturePlace {
  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(whole({ minimum: 1 }))
  count: number;

  @Field(TIME)
  last_at: string;
}

export class SignatureDetailsResource extends Signature {
  @Field(listOf(SignaturePackage), 'The most frequent first, at most 50.')
  by_package: SignaturePackage[];

  @Field(listOf(SignaturePlace))
  by_place: SignaturePlace[];
}

export class SignatureList {
  @Field(listOf(Signature))
  signatures: Signature[];
}
