import type { PackageRules } from '@proctor/resources';
import { rejectedVersions, sizeClasses } from '@proctor/config';
import type { Settings } from '@proctor/config';
import type { ApiConfiguration } from '../configuration.token';

/** @param own the backend of the package; undefined if no run of it was requested */
export function packageRules(
  name: string,
  own: string | null | undefined,
  { server, rejectList }: ApiConfiguration,
  { sizeClasses: classes, timeouts, runTimeoutMs }: Settings,
): PackageRules {
  const sizeClass = sizeClasses(classes)(name);
  const timeout = ruleFor(name, Object.keys(timeouts));
  return {
    package: name,
    known: own !== undefined,
    backend: { value: own ?? server.defaultBackend, rule: own == null ? null : name },
    size_class: {
      value: sizeClass,
      rule: sizeClass === null ? null : ruleFor(name, classes[sizeClass] ?? []),
    },
    timeout_seconds: {
      value: (timeout === null ? runTimeoutMs : timeouts[timeout]!) / 1_000,
      rule: timeout,
    },
    rejected: server.suites.flatMap((suite) =>
      server.architectures.flatMap((arch) => {
        const versions = rejectedVersions(rejectList, name, suite, arch);
        return versions.length > 0 ? [{ suite, arch, versions }] : [];
      }),
    ),
  };
}

/** A full name wins over a name with `*`. Among names with `*`, the first match wins. */
function ruleFor(name: string, rules: string[]): string | null {
  if (rules.includes(name)) return name;
  return rules.find((rule) => rule.endsWith('*') && name.startsWith(rule.slice(0, -1))) ?? null;
}
