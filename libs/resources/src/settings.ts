import { AUDIT_ACTIONS, type AuditAction } from '@proctor/contracts';
import { Field } from './field';
import {
  component,
  decimal,
  exactly,
  flag,
  listOf,
  mapOf,
  oneOf,
  orNull,
  text,
  whole,
  words,
} from './schema';
import { PACKAGE_NAME, TIME } from './values';

export const AUDIT_ACTION = component('AuditAction', words(AUDIT_ACTIONS));

export class AuditEntryResource {
  @Field(whole())
  id: number;

  @Field(TIME)
  at: string;

  @Field(AUDIT_ACTION)
  action: AuditAction;

  @Field(text(), 'The name of the user, or `command line`; for a refused login, the name that was typed.')
  user: string;

  @Field(orNull(text()), 'What was changed.')
  subject: string | null;

  @Field(orNull(text()))
  detail: string | null;

  @Field(orNull(whole()), 'How many runs were changed.')
  runs: number | null;

  @Field(orNull(text()), 'The address of the network from which it was done.')
  address: string | null;
}

export class SettingResource {
  @Field(text(), 'The file in the folder of the configuration, or `environment`.')
  file: string;

  @Field(text())
  key: string;

  @Field(text(), 'As JSON.')
  value: string;

  @Field(words(['file', 'environment', 'default']))
  origin: 'file' | 'environment' | 'default';

  @Field(orNull(whole()))
  line: number | null;
}

export class PackageRule {
  @Field(oneOf(text(), decimal(), exactly(null)))
  value: string | number | null;

  @Field(orNull(text()), 'The name or pattern of the list that decides; null for the default.')
  rule: string | null;
}

export class RejectRule {
  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(listOf(text()))
  versions: string[];
}

export class PackageRules {
  @Field(PACKAGE_NAME)
  package: string;

  @Field(flag(), 'Whether a run of it was ever requested.')
  known: boolean;

  @Field(PackageRule)
  backend: PackageRule;

  @Field(PackageRule)
  size_class: PackageRule;

  @Field(PackageRule)
  timeout_seconds: PackageRule;

  @Field(listOf(RejectRule))
  rejected: RejectRule[];
}

export const REJECT_LIST = component(
  'RejectList',
  mapOf(
    mapOf(
      mapOf(mapOf(exactly(''), { description: 'By version or `*`.' }), {
        description: 'By architecture or `*`.',
      }),
      { description: 'By suite or `*`.' },
    ),
    { description: 'By package.' },
  ),
);
export type RejectListResource = NonNullable<(typeof REJECT_LIST)['type']>;

export class AuditEntryList {
  @Field(listOf(AuditEntryResource))
  entries: AuditEntryResource[];

  @Field(orNull(whole()), 'The position to send for the next part; null at the end.')
  before: number | null;
}

/** What is in use, and why another configuration is not. */
export class ConfigurationResource {
  @Field(text())
  folder: string;

  @Field(TIME)
  loaded_at: string;

  @Field(listOf(text()), 'Why the folder as it is now is not in use.')
  problems: string[];

  @Field(listOf(text()), 'What takes effect at the next start.')
  needs_restart: string[];

  @Field(listOf(SettingResource))
  settings: SettingResource[];
}
