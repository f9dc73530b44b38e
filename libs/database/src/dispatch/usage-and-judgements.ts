import type { WorkerStanding } from '@proctor/contracts';
import type { Write } from '@proctor/dispatch';
import { CLOCK } from '../kit/horizon';
import { type ColumnsOf, double, propertiesOf, statement, text } from '../kit/statement';

/** Judgements of each worker on each architecture: a dispatcher needs only the newest, the others are for people. */
const JUDGEMENTS_KEPT_MAX = 100;

/** Judgements older than this are deleted, a hundred at a time. */
const JUDGEMENTS_KEPT = '30 days';
/** The newest judgement of a worker that is not sound is deleted only after this time. */
const STANDINGS_KEPT = '1 year';

const USAGE = { requestor: text, slotMs: double, publicSlotMs: double } satisfies ColumnsOf<
  Omit<Extract<Write, { kind: 'usage' }>, 'kind'>
>;

/** The statement for `usage` writes, in the form of `APPLY`. A deleted user has no row and needs none. */
export const KEEP_USAGE = statement(
  { id: text },
  `
    with ${CLOCK},
    used as materialized (
      select u.user_id, w."slotMs", w."publicSlotMs"
      from jsonb_to_recordset($1::jsonb) as w(${propertiesOf(USAGE)}) join users u on u.name = w.requestor
    ),
    forgotten as (
      delete from usage u using used where u.arch = $2 and u.user_id = used.user_id and used."slotMs" <= 0
    ),
    written as (
      insert into usage (arch, user_id, slot_ms, public_slot_ms, at)
      select $2, user_id, "slotMs", "publicSlotMs", clock.now from used, clock where "slotMs" > 0
      on conflict (arch, user_id) do update
        set slot_ms = excluded.slot_ms, public_slot_ms = excluded.public_slot_ms, at = excluded.at
    )
    select w.requestor as id from jsonb_to_recordset($1::jsonb) as w(${propertiesOf(USAGE)})`,
).asPrepared;

const JUDGEMENT = { worker: text, standing: text.as<WorkerStanding>(), reason: text } satisfies ColumnsOf<
  Omit<Extract<Write, { kind: 'judge-worker' }>, 'kind'>
>;

/** The statement for `judge-worker` writes, in the form of `APPLY`. */
export const JUDGE_WORKERS = statement(
  { id: text },
  `
    with ${CLOCK},
    judged as (
      insert into worker_judgements (arch, worker, standing, reason, at)
      select $2, w.worker, w.standing, w.reason, clock.now
      from jsonb_to_recordset($1::jsonb) as w(${propertiesOf(JUDGEMENT)}), clock
      returning worker
    ),
    forgotten as (
      delete from worker_judgements j using judged w
      where j.arch = $2 and j.worker = w.worker and j.judgement_id <= (
        select judgement_id from worker_judgements before where before.arch = $2 and before.worker = w.worker
        order by judgement_id desc offset ${JUDGEMENTS_KEPT_MAX - 1} limit 1
      )
    ),
    outdated as (
      delete from worker_judgements where judgement_id in (
        select old.judgement_id from worker_judgements old, clock
        where old.arch = $2 and old.at < clock.now - interval '${JUDGEMENTS_KEPT}' and (
          old.standing = 'sound' or old.at < clock.now - interval '${STANDINGS_KEPT}' or exists (
            select from worker_judgements newer
            where newer.arch = $2 and newer.worker = old.worker and newer.judgement_id > old.judgement_id
          )
        )
        order by old.at limit 100
      )
    )
    select worker as id from judged`,
);
