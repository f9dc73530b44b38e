import type { ArchitectureHour, WaitingShare } from '@proctor/database';

const HOUR_MS = 3_600_000;
/** The present hour and those before it that are looked at, and the hours before them that they are compared with. */
const HOURS_RECENT = 6;
const HOURS_BEFORE = 24;
/** With fewer hours nothing is called usual. */
const HOURS_BEFORE_MIN = 6;
/** A queue has grown if so many more runs wait, and at least this part of them. */
const GROWTH_MIN = 3;
const GROWTH_PART = 0.1;
/** A rate is unusual from this factor on. */
const UNUSUAL = 1.5;
/** Slots are idle below this part of them. */
const BUSY_PART = 0.5;
const TMPFAIL_MIN = 5;
const TMPFAIL_PART = 0.2;
const SHARE_MIN = 10;
const SHARE_PART = 0.5;
/** `amd64, arm64 and armhf` */
const NAMES = new Intl.ListFormat('en-GB');

/** What is known about queues when their growth is explained. */
interface GrowthFacts {
  /** The figures of public runs by hour and architecture. */
  hours: ArchitectureHour[];
  /** The user with the most waiting runs now; null if none waits. */
  share: WaitingShare | null;
  /** Whether the figures are those of all suites, so that idle slots can be seen. */
  isWhole: boolean;
  now: Date;
}

/** Whether queues grow, and why, in sentences for people. */
interface Growth {
  /** Empty without figures. */
  change: string;
  reasons: string[];
}

/** Null if nothing waits. */
export function growthOf({ hours, share, isWhole, now }: GrowthFacts): Growth | null {
  const present = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const begin = present - (HOURS_RECENT - 1) * HOUR_MS;
  const at = (from: number, to: number): ArchitectureHour[] =>
    hours.filter(({ hour }) => hour.getTime() >= from && hour.getTime() < to);
  const recent = at(begin, present + HOUR_MS);
  if (share === null) return null;
  const waiting = share.of;
  const before = lastWaiting(at(begin - HOUR_MS, begin));
  const since = `${new Date(begin).toISOString().slice(11, 16)} UTC`;
  const grownBy = before === null ? 0 : waiting - before;
  const hasGrown = grownBy >= Math.max(GROWTH_MIN, GROWTH_PART * waiting);
  const spans = {
    recent: { hours: recent, length: (now.getTime() - begin) / HOUR_MS },
    before: hoursBefore(at(begin - HOURS_BEFORE * HOUR_MS, begin)),
  };
  const change = [
    ...(before === null ? [] : [`${changeOf(grownBy, waiting)} at ${since}.`]),
    ...(recent.length === 0 ? [] : [`Since ${before === null ? since : 'then'} ${flowOf(recent)}.`]),
  ];
  return {
    change: change.join(' '),
    reasons: [...(hasGrown ? reasonsOf(spans, isWhole) : []), ...shareOf(share)],
  };
}

interface Span {
  hours: ArchitectureHour[];
  /** Hours. */
  length: number;
}

function hoursBefore(hours: ArchitectureHour[]): Span {
  return { hours, length: new Set(hours.map(({ hour }) => hour.getTime())).size };
}

/** How many runs waited in the last hour that was seen; null if none was. */
function lastWaiting(hours: ArchitectureHour[]): number | null {
  const sightings = hours.filter(({ waiting }) => waiting !== null);
  const last = Math.max(...sightings.map(({ hour }) => hour.getTime()));
  if (sightings.length === 0) return null;
  return sum(
    sightings.filter(({ hour }) => hour.getTime() === last),
    ({ waiting }) => waiting ?? 0,
  );
}

function changeOf(grownBy: number, waiting: number): string {
  const least = Math.max(GROWTH_MIN, GROWTH_PART * waiting);
  if (Math.abs(grownBy) < least) return 'About as many runs are waiting as';
  return grownBy > 0
    ? `${count(grownBy)} more runs are waiting than`
    : `${count(-grownBy)} fewer runs are waiting than`;
}

function flowOf(hours: ArchitectureHour[]): string {
  const [arrived, ends] = [sum(hours, (hour) => hour.arrived), sum(hours, endedIn)];
  const numbers = `${count(arrived)} arrived, ${count(ends)} ended`;
  return arrived > ends ? `more runs arrived than ended: ${numbers}` : numbers;
}

function reasonsOf({ recent, before }: { recent: Span; before: Span }, isWhole: boolean): string[] {
  const rate = (span: Span, amount: (hour: ArchitectureHour) => number): number =>
    sum(span.hours, amount) / span.length;
  const reasons = [...noSlots(recent.hours), ...lostSlots(recent.hours, before.hours)];
  if (before.length >= HOURS_BEFORE_MIN) {
    const [arriving, usual] = [rate(recent, arrivedIn), rate(before, arrivedIn)];
    if (arriving >= UNUSUAL * usual) reasons.push(`More runs arrive than usual: ${rates(arriving, usual)}.`);
    const [ending, usualEnd] = [rate(recent, endedIn), rate(before, endedIn)];
    if (usualEnd >= UNUSUAL * ending) reasons.push(`Fewer runs end than usual: ${rates(ending, usualEnd)}.`);
  }
  if (isWhole) reasons.push(...idleSlots(recent));
  const [ends, untested] = [sum(recent.hours, endedIn), sum(recent.hours, ({ tmpfail }) => tmpfail)];
  if (untested >= TMPFAIL_MIN && untested >= TMPFAIL_PART * ends)
    reasons.push(`${count(untested)} of the ${count(ends)} runs that ended could not be tested.`);
  return reasons;
}

/** Architectures with waiting runs, but without a slot. */
function noSlots(recent: ArchitectureHour[]): string[] {
  return architecturesOf(recent).flatMap((arch) => {
    const own = recent.filter((hour) => hour.arch === arch);
    const waiting = lastWaiting(own) ?? 0;
    if (lastSlots(own) !== 0 || waiting === 0) return [];
    return [`${arch} has no slots: ${waiting === 1 ? '1 run waits' : `${count(waiting)} runs wait`} for it.`];
  });
}

/** Architectures with fewer slots than before. */
function lostSlots(recent: ArchitectureHour[], before: ArchitectureHour[]): string[] {
  const losers = new Map<string, string[]>();
  for (const arch of architecturesOf(recent)) {
    const now = lastSlots(recent.filter((hour) => hour.arch === arch)) ?? 0;
    const most = Math.max(...before.filter((hour) => hour.arch === arch).map(({ slots }) => slots ?? 0));
    if (now === 0 || now >= most) continue;
    const loss = `${now === 1 ? '1 slot' : `${now} slots`} instead of ${most}`;
    losers.set(loss, [...(losers.get(loss) ?? []), arch]);
  }
  return [...losers].map(
    ([loss, archs]) => `${NAMES.format(archs)} ${archs.length === 1 ? 'has' : 'have'} ${loss}.`,
  );
}

/** Architectures whose slots were idle though runs waited. */
function idleSlots({ hours, length }: Span): string[] {
  const parts = architecturesOf(hours).flatMap((arch) => {
    const own = hours.filter((hour) => hour.arch === arch);
    const slots = lastSlots(own) ?? 0;
    const busy = sum(own, ({ busySeconds }) => busySeconds) / 3_600 / length;
    const isIdle = slots > 0 && busy < BUSY_PART * slots && (lastWaiting(own) ?? 0) > 0;
    return isIdle ? [`${count(busy)} of ${slots} on ${arch}`] : [];
  });
  return parts.length === 0 ? [] : [`Busy slots on average: ${parts.join(', ')}.`];
}

/** The slots of an architecture in the last hour that was seen; null if none was. */
function lastSlots(hours: ArchitectureHour[]): number | null {
  return hours.findLast(({ slots }) => slots !== null)?.slots ?? null;
}

function shareOf(share: WaitingShare): string[] {
  if (share.count < SHARE_MIN || share.count < SHARE_PART * share.of) return [];
  const all = share.count === share.of ? 'all' : `${count(share.count)} of the`;
  return [`${share.user} requested ${all} ${count(share.of)} waiting runs.`];
}

function architecturesOf(hours: ArchitectureHour[]): string[] {
  return [...new Set(hours.map(({ arch }) => arch))].sort();
}

const arrivedIn = ({ arrived }: ArchitectureHour): number => arrived;
const endedIn = ({ pass, neutral, fail, tmpfail }: ArchitectureHour): number =>
  pass + neutral + fail + tmpfail;

function rates(now: number, usual: number): string {
  return `${count(now)} an hour instead of ${count(usual)}`;
}

function sum<T>(rows: T[], amount: (row: T) => number): number {
  return rows.reduce((total, row) => total + amount(row), 0);
}

function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });
}
