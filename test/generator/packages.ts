import type { Client } from 'pg';

const STEMS =
  `acl aprx arc atlas bind blend bolt bus cache calc chart clone cloud color core cron curl data date diff
  disk dns drive dump edit event fetch file flow font frame fuse gate geo glow graph grid hash http image index ini iron
  json kern lang leaf lens line link lint list lock log loop lua mail map mark mesh meta mime mix mock mount net node note
  oauth pack page parse path pcre pdf perm ping pipe plot pool port proxy queue quick rate ray redis regex ring route rpc
  scan scope shell sign slide snap socket solve sound spell stack stat step store stream swap sync table tag task tail
  term test text tile time token tool trace tree tune unit url uuid valve vault view wave web wrap xml yaml zip zone`.split(
    /\s+/,
  );

/** How source packages of a language are named. */
const SHAPES: ((name: string) => string)[] = [
  (name) => name,
  (name) => `lib${name}-perl`,
  (name) => `python-${name}`,
  (name) => `golang-github-${name}`,
  (name) => `rust-${name}`,
  (name) => `node-${name}`,
  (name) => `ruby-${name}`,
  (name) => `r-cran-${name}`,
  (name) => `haskell-${name}`,
  (name) => `lib${name}`,
];

/** Names of source packages that could exist, always the same, each once. */
export function packageNames(count: number): string[] {
  const names = new Set<string>([
    'perl',
    'glibc',
    'systemd',
    'python3-defaults',
    'linux',
    'gcc-15',
    'dpkg',
    'apt',
  ]);
  for (let turn = 0; names.size < count; turn += 1) {
    const stem = STEMS[turn % STEMS.length]!;
    const round = Math.floor(turn / STEMS.length);
    const shape = SHAPES[round % SHAPES.length]!;
    const second = Math.floor(round / SHAPES.length);
    names.add(shape(second === 0 ? stem : `${stem}-${STEMS[(turn * 7 + second) % STEMS.length]!}`));
    if (second > STEMS.length) names.add(shape(`${stem}${second}`));
  }
  return [...names].slice(0, count);
}

/**
 * Makes the packages known, and a temporary table of them for this connection: what is asked for often has a low `place`,
 * from 0 on.
 */
export async function preparePackages(client: Client, count: number, seed: number): Promise<void> {
  await client.query(`
    create or replace function pg_temp.chance(bigint, bigint) returns float8 immutable parallel safe language sql as
      'select (hashint8extended($1, $2 * 1000003 + ${Math.trunc(seed)}) & 4503599627370495) / 4503599627370496.0::float8'`);
  await client.query('drop table if exists pg_temp.generated_packages');
  await client.query(
    `create temporary table generated_packages as
     select place - 1 as place, name, 15 + floor(3600 * power(pg_temp.chance(place, 1), 6))::integer as seconds,
       1 + floor(12 * pg_temp.chance(place, 2))::integer as uploads,
       ($1::text[])[1 + floor($2 * pg_temp.chance(place, 3))::integer] as friend
     from unnest($1::text[]) with ordinality as known(name, place)`,
    [packageNames(count), count],
  );
  await client.query('alter table generated_packages add primary key (place)');
  await client.query('analyze generated_packages');
  await client.query(`
    insert into packages (name, is_public) select name, true from generated_packages order by place
    on conflict (name) do nothing`);
}
