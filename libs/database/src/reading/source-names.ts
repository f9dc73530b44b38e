import { Injectable } from '@nestjs/common';
import { upsert } from '../kit/columns-of';
import { Database } from '../kit/database';
import { bytea, double, statement, text } from '../kit/statement';
import { SourceNamesRow } from '../rows/package';

/** Where packages are looked for. */
export interface SourceNamesPlace {
  suite: string;
  arch: string;
}

/** What a worker says of a list. */
export interface OfferedSourceNames extends SourceNamesPlace {
  worker: string;
  /** SHA-256 of the list as it is kept, lower-case hex. */
  sha256: string;
  /** For so long it has been known that the archive has these packages; milliseconds. */
  ageMs: number;
}

export interface KnownSourceNames extends SourceNamesPlace {
  /** Equal lists have the same. */
  sha256: string;
  /** How long ago the archive was last seen to have these packages, by PostgreSQL's clock; milliseconds. */
  ageMs: number;
}

/** The packages that each suite has on each architecture: the newest list that a worker of the architecture has sent. */
@Injectable()
export class SourceNames {
  constructor(private readonly database: Database) {}

  /** True when this very list is kept; it is as new as was said, from now on. */
  async confirm(offered: OfferedSourceNames): Promise<boolean> {
    return (await this.database.query(CONFIRM, parametersOf(offered))).length > 0;
  }

  /**
   * Keeps the list in place of an older one.
   * @param content as `sha256` says
   * @returns false when a newer one is kept, or the worker is none of the architecture
   */
  async saveNames(offered: OfferedSourceNames, content: Buffer): Promise<boolean> {
    return (await this.database.query(KEEP, [...parametersOf(offered), content])).length > 0;
  }

  /** What is kept, without the lists themselves. */
  listSaved(): Promise<KnownSourceNames[]> {
    return this.database.query(KNOWN);
  }

  /** A list as it was sent; null when another one is kept by now. */
  async content({ suite, arch }: SourceNamesPlace, sha256: string): Promise<Buffer | null> {
    const [found] = await this.database.query(CONTENT, [suite, arch, sha256]);
    return found?.content ?? null;
  }
}

function parametersOf({ suite, arch, worker, sha256, ageMs }: OfferedSourceNames): unknown[] {
  return [suite, arch, worker, sha256, ageMs];
}

const AT = `now() - $5::double precision * interval '1 millisecond'`;

/** Its credentials may outlive its registration for a moment. */
const IS_OF_ARCHITECTURE = `exists (
    select from workers w where w.name = $3 and w.revoked_at is null and $2 = any(w.architectures))`;

/** A row that was touched within a minute stays as it is. */
const CONFIRM = statement(
  { suite: text },
  `
  with known as (
    select s.suite, s.arch from source_names s
    where s.suite = $1 and s.arch = $2 and s.digest = decode($4, 'hex') and ${IS_OF_ARCHITECTURE}
  ), touched as (
    update source_names s set at = ${AT}, worker = $3 from known
    where s.suite = known.suite and s.arch = known.arch and s.at < ${AT} - interval '1 minute'
  )
  select suite from known`,
);

const KEEP = statement(
  { suite: text },
  `
  insert into source_names as s (suite, arch, worker, digest, content, at)
  select $1, $2, $3, decode($4, 'hex'), $6::bytea, ${AT} where ${IS_OF_ARCHITECTURE}
  ${upsert(SourceNamesRow)}
    where s.at <= excluded.at
  returning s.suite`,
);

const AGE = `extract(epoch from now() - least(s.at)) * 1000`;

const KNOWN = statement(
  { suite: text, arch: text, sha256: text, ageMs: double },
  `
  select s.suite, s.arch, encode(least(s.digest), 'hex') as sha256, greatest(0, ${AGE})::double precision as "ageMs"
  from source_names s order by s.suite, s.arch`,
);

const CONTENT = statement(
  { content: bytea },
  `select s.content from source_names s where s.suite = $1 and s.arch = $2 and s.digest = decode($3, 'hex')`,
);
