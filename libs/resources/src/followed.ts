import { Field } from './field';
import { ListedStatusResource } from './public-data';
import { RUN_ID } from './values';
import { flag, listOf, oneOf, sentAs, text } from './schema';

/** Names of packages that a user is to follow. */
export class FollowRequest {
  @Field(
    sentAs<string[]>(oneOf(text(), listOf(text({ maxLength: 200 })))),
    'Names, in which `*` may stand for anything; as a text, with spaces or commas between them.',
  )
  packages: string[];
}

export class FollowedPackage {
  @Field(text())
  package: string;

  @Field(
    listOf(ListedStatusResource),
    'Its status in each suite and architecture, as in the lists of statuses.',
  )
  statuses: ListedStatusResource[];
}

export class FollowedResource {
  @Field(listOf(text()), 'What was asked to be followed.')
  patterns: string[];

  @Field(listOf(RUN_ID), 'Followed runs.')
  runs: number[];

  @Field(listOf(text()), 'Followed triggers.')
  triggers: string[];

  @Field(listOf(FollowedPackage, { maxItems: 500 }))
  packages: FollowedPackage[];

  @Field(flag(), 'More packages match than are listed.')
  has_more: boolean;
}
