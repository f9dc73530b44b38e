/** One setting of apt.conf(5). */
export interface AptSetting {
  name: string;
  value: string;
}

/** Settings that decide whether this machine's mirrors can be used. */
const NEEDED = [
  /^Acquire::(http|https|ftp)::(Proxy|No-Cache|Pipeline-Depth|Timeout)(::.+)?$/i,
  /^Acquire::https::(CaInfo|Verify-Peer|Verify-Host)(::.+)?$/i,
  /^Acquire::(Check-Valid-Until|Check-Date|Max-ValidTime|ForceIPv4|ForceIPv6)(::.+)?$/i,
];

/** The settings that a testbed needs to reach the machine's mirrors, from the output of `apt-config dump`. */
export function neededSettings(dump: string, environment: NodeJS.ProcessEnv = {}): AptSetting[] {
  const settings = dump.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^(\S+) "([^"]*)";$/.exec(line) ?? [];
    return value !== '' && NEEDED.some((pattern) => pattern.test(name)) ? [{ name, value }] : [];
  });
  // apt itself uses these variables when no proxy is configured.
  for (const scheme of ['http', 'https']) {
    const name = `Acquire::${scheme}::Proxy`;
    const proxy = environment[`${scheme}_proxy`];
    if (
      proxy &&
      !proxy.includes('"') &&
      !settings.some((setting) => setting.name.toLowerCase() === name.toLowerCase())
    ) {
      settings.push({ name, value: proxy });
    }
  }
  return settings;
}

/** apt.conf(5) lines. */
export function asConfiguration(settings: AptSetting[]): string[] {
  return settings.map(({ name, value }) => `${name} "${value}";`);
}

/**
 * The apt.conf of every run. A source that cannot be fetched must be an error: apt would only warn, and the test would
 * pass without the source that it was to test.
 */
export function runConfiguration(settings: AptSetting[]): string {
  const always = ['Acquire::Retries "2";', 'APT::Update::Error-Mode "any";'];
  return [...asConfiguration(settings), ...always].join('\n') + '\n';
}
