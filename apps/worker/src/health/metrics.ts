import { Counter, Gauge, Registry } from 'prom-client';
import { LACKING } from '../testbed/resource-guard';
import type { HealthReport } from './worker-health';

const PREFIX = 'proctor_worker_';

/** The numbers of a report in the text format of Prometheus. */
export async function renderMetrics(report: HealthReport): Promise<string> {
  // A new registry for each report, so that no label of a removed image or an earlier check stays.
  const registry = new Registry();
  const { machine, versions } = report;
  const plain: [string, string, number][] = [
    ['ready', 'Whether the worker can take work.', Number(report.ready)],
    ['connected', 'Whether it is connected to NATS.', Number(report.connected)],
    ['up_seconds', 'Time since the process was started.', report.upSeconds],
    ['slots', 'Tests that may run at the same time.', report.slots],
    ['runs', 'Attempts that are executed now.', report.busy],
    ['results_waiting', 'Results on disk that no dispatcher has answered yet.', report.resultsWaiting],
    ['load1', 'Mean load of the machine over a minute.', machine.load[0] ?? NaN],
    ['processors', 'Processors of the machine.', machine.processors],
    ['memory_bytes', 'Memory of the machine.', machine.memoryBytes],
    ['memory_available_bytes', 'Memory that new programs could take.', machine.memoryAvailableBytes],
    ['disk_bytes', "Size of the work folder's file system.", machine.diskBytes],
    ['disk_available_bytes', 'Free space of that file system.', machine.diskAvailableBytes],
  ];
  for (const [name, help, value] of plain) createGauge(registry, name, help).set(value);

  const attempts = new Counter({
    name: `${PREFIX}attempts_total`,
    help: 'Attempts that have ended, by verdict; none: without a result.',
    labelNames: ['verdict'],
    registers: [registry],
  });
  for (const [verdict, count] of Object.entries(report.ended)) attempts.inc({ verdict }, count);

  const dropped = new Counter({
    name: `${PREFIX}results_dropped_total`,
    help: 'Results that counted for nothing, by cause.',
    labelNames: ['cause'],
    registers: [registry],
  });
  for (const [cause, count] of Object.entries(report.resultsDropped)) dropped.inc({ cause }, count);

  const lacking = createGauge(registry, 'lacking', 'Whether there is too little of something to take work.', [
    'of',
  ]);
  const lackingSeconds = createGauge(registry, 'lacking_seconds', 'For how long; 0: it is not.', ['of']);
  for (const reserve of LACKING) {
    const lack = report.lacks.find((each) => each.of === reserve);
    lacking.set({ of: reserve }, Number(lack !== undefined));
    lackingSeconds.set({ of: reserve }, lack?.seconds ?? 0);
  }

  const standing = createGauge(registry, 'standing', 'The standing of the worker for a dispatcher.', [
    'arch',
    'standing',
  ]);
  const until = createGauge(
    registry,
    'standing_until_seconds',
    'Until its next run or canary test; 0: it is sound.',
    ['arch'],
  );
  for (const arch of report.architectures) {
    const { standing: current = 'sound', untilSeconds = 0 } = report.standings[arch] ?? {};
    for (const each of ['sound', 'slowed', 'quarantined'])
      standing.set({ arch, standing: each }, Number(each === current));
    until.set({ arch }, untilSeconds);
  }

  const usable = createGauge(registry, 'backend_usable', 'Whether a backend can be used.', ['backend']);
  for (const [backend, problem] of Object.entries(report.backends)) {
    usable.set({ backend }, Number(problem === null));
  }
  const labels = ['backend', 'suite', 'arch'];
  const age = createGauge(registry, 'image_age_seconds', 'Age of a testbed image.', labels);
  for (const { ageSeconds, ...image } of report.images) age.set(image, ageSeconds);

  const version = createGauge(registry, 'variant_info', 'A variant and its version.', ['variant', 'version']);
  for (const [variant, programVersion] of Object.entries(versions.variants)) {
    version.set({ variant, version: programVersion ?? 'unknown' }, 1);
  }
  return registry.metrics();
}

function createGauge<T extends string>(registry: Registry, name: string, help: string, labelNames: T[] = []) {
  return new Gauge({ name: `${PREFIX}${name}`, help, labelNames, registers: [registry] });
}
