import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { ARCHITECTURES, STUB_VARIANT, VARIANT } from './plan';

const LOOK_EVERY_MS = 1_000;
const QUERY_TIMEOUT_MS = 2_000;
/** An architecture has an owner again, and grants again, this long after what it needs is whole. */
export const ALIVE_WITHIN_MS = 30_000;

interface Seen {
  arch: string;
  variant: string;
  isOwned: boolean;
  waiting: number;
  /** Highest so far: it rises with each grant. */
  granted: number;
}

/** Since when something that must not last has been so; null while it is not. */
interface Silence {
  unownedSinceMs: number | null;
  ungrantedSinceMs: number | null;
  granted: number;
}

/** Looks all the time whether each architecture has an owner and, with runs waiting, whether leases are granted. */
export class Liveness {
  readonly violations: string[] = [];
  /** The longest times that something whole was without an owner, or without a grant, milliseconds. */
  longestUnownedMs = 0;
  longestUngrantedMs = 0;
  private readonly silences = new Map<string, Silence>();
  private stopped = false;

  /**
   * @param ownableMs for how long PostgreSQL, NATS and a scheduler have been whole
   * @param grantableMs for how long the store and a worker that can execute the variant have been whole besides
   */
  constructor(
    private readonly databaseUrl: string,
    private readonly ownableMs: () => number,
    private readonly grantableMs: (variant: string) => number,
  ) {}

  async watch(): Promise<void> {
    while (!this.stopped) {
      await pause(LOOK_EVERY_MS);
      if (this.ownableMs() === 0) continue;
      const observations = await this.look();
      for (const each of observations) this.judge(each);
    }
  }

  stop(): void {
    this.stopped = true;
  }

  /** Nothing while PostgreSQL does not answer: a fault has begun meanwhile. */
  private async look(): Promise<Seen[]> {
    const client = new Client({
      connectionString: this.databaseUrl,
      connectionTimeoutMillis: QUERY_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
    });
    // The query reports what ends the connection.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Seen>(SEEN, [ARCHITECTURES, [VARIANT, STUB_VARIANT]])).rows;
    } catch {
      return [];
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private judge({ arch, variant, isOwned, waiting, granted }: Seen): void {
    const now = performance.now();
    const place = `${arch}, variant ${variant}`;
    const silence = this.silences.get(place) ?? { unownedSinceMs: null, ungrantedSinceMs: null, granted: 0 };
    this.silences.set(place, silence);
    silence.unownedSinceMs = isOwned ? null : (silence.unownedSinceMs ?? now);
    const isMoving = waiting === 0 || granted !== silence.granted;
    silence.ungrantedSinceMs = isMoving ? null : (silence.ungrantedSinceMs ?? now);
    silence.granted = granted;
    const unownedMs = lasting(silence.unownedSinceMs, this.ownableMs(), now);
    const ungrantedMs = lasting(silence.ungrantedSinceMs, this.grantableMs(variant), now);
    this.longestUnownedMs = Math.max(this.longestUnownedMs, unownedMs);
    this.longestUngrantedMs = Math.max(this.longestUngrantedMs, ungrantedMs);
    if (unownedMs > ALIVE_WITHIN_MS) {
      this.violations.push(`${place}: no owner for ${seconds(unownedMs)}, at ${new Date().toISOString()}`);
      silence.unownedSinceMs = now;
    }
    if (ungrantedMs > ALIVE_WITHIN_MS) {
      const what = `${place}: no lease was granted for ${seconds(ungrantedMs)} while ${waiting} runs waited`;
      this.violations.push(`${what}, at ${new Date().toISOString()}`);
      silence.ungrantedSinceMs = now;
    }
  }
}

/** How long it has been so while everything was whole. */
function lasting(sinceMs: number | null, wholeMs: number, now: number): number {
  return sinceMs === null ? 0 : Math.min(now - sinceMs, wholeMs);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

const SEEN = `
  select arch, variant,
    exists (select from dispatchers d where d.arch = each.arch and owner is not null and expires_at > now())
      as "isOwned",
    (select count(*)::integer from runs r where r.arch = each.arch and r.variant = v.variant and state = 'queued') as waiting,
    (select coalesce(sum(attempt), 0)::integer from runs r where r.arch = each.arch and r.variant = v.variant) as granted
  from unnest($1::text[]) as each (arch), unnest($2::text[]) as v (variant)`;
