import { Description, Field, OptionalField } from './field';
import { listOf, text, whole } from './schema';

export class ProblemError {
  @Field(text(), 'JSON pointer into the body, as `#/tests/3/trigger`.')
  pointer: string;

  @Field(text())
  detail: string;
}

@Description('RFC 9457.')
export class ProblemResource {
  @Field(text(), 'What the status code means.')
  title: string;

  @Field(whole({ minimum: 400, maximum: 599 }))
  status: number;

  @Field(text(), 'One sentence that names the field and the value, where there is one.')
  detail: string;

  @OptionalField(listOf(ProblemError), 'The faults of a body, the first twenty.')
  errors?: ProblemError[];

  @OptionalField(
    text(),
    'What the request is called in the log: the `X-Request-Id` that it came with (1 to 128 letters, digits and `_.:/+=-`), else one of its own. Every answer has the header.',
  )
  request_id?: string;
}
