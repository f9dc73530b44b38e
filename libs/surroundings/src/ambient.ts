/** The variables that a client library reads by itself, by the beginning of their names. */
const FAMILIES = {
  /** Of PostgreSQL's clients: host, user, password, encryption, options of the session and more. */
  postgres: /^PG[A-Z_]+$/,
  /** Of AWS's: profile, endpoint, region, credentials and more. */
  aws: /^AWS_/,
};

/**
 * Removes the variables of a client library from the environment, so that nothing but what a connection states has a say in it. To be
 * called before each connection: the library may read them whenever it makes one.
 */
export function removeAmbient(family: keyof typeof FAMILIES, env: NodeJS.ProcessEnv = process.env): void {
  for (const name of namesOf(family, env)) delete env[name];
}

/** What people should know of variables that they may have set on purpose, a line each. */
export function ambientNotices(env: NodeJS.ProcessEnv): string[] {
  const names = env['PROCTOR_DATABASE_URL'] ? namesOf('postgres', env) : [];
  if (names.length === 0) return [];
  return [
    `${names.join(', ')}: not used, PROCTOR_DATABASE_URL alone says how the database is reached (?sslmode=…, user:password@)`,
  ];
}

function namesOf(family: keyof typeof FAMILIES, env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env).filter((name) => FAMILIES[family].test(name));
}
