/** The variables that a client library reads by itself, by the start of their names. */
const FAMILIES = {
  /** Variables of PostgreSQL's clients: host, user, password, encryption, options of the session and more. */
  postgres: /^PG[A-Z_]+$/,
  /** Variables of AWS's clients: profile, endpoint, region, credentials and more. */
  aws: /^AWS_/,
};

/**
 * Removes the variables of a client library from the environment, so that only the stated settings of a connection
 * count. Call it before each connection: the library may read them each time.
 */
export function removeAmbient(family: keyof typeof FAMILIES, env: NodeJS.ProcessEnv = process.env): void {
  for (const name of namesOf(family, env)) delete env[name];
}

/** Notices for people about variables that they may have set on purpose, a line each. */
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
