import {
  FACT_KINDS,
  type FactKind,
  PACKAGE_VERDICTS,
  RUN_STATES,
  type RunState,
  type Status,
  type Verdict,
} from '@proctor/contracts';
import { Description, Field } from './field';
import { component, exactly, flag, orNull, text, whole, words } from './schema';
import { PACKAGE_NAME, RUN_ID, TIME, VERDICT } from './values';

export const EVENT_KIND = component('EventKind', words(FACT_KINDS));

@Description(
  'Something that has happened to a run. Fields may be added; `schema` rises when one goes or means something else.',
)
export class Event {
  @Field(exactly(1))
  schema: 1;

  @Field(
    text({ pattern: '^[1-9]\\d*\\.[1-9]\\d*$' }),
    'The run and the place of the event among its `facts`; an event that comes again has the same.',
  )
  id: string;

  @Field(EVENT_KIND)
  kind: FactKind;

  @Field(TIME)
  at: string;

  @Field(RUN_ID)
  run_id: number;

  @Field(PACKAGE_NAME)
  package: string;

  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(
    orNull(text()),
    'Null if the run has none, or one of more than 2000 characters; the run itself has the whole text.',
  )
  trigger: string | null;

  @Field(words(RUN_STATES), 'The state of the run after the event.')
  state: RunState;

  @Field(orNull(words(PACKAGE_VERDICTS)), 'How the run ended, of events that have it.')
  status: Status;

  @Field(VERDICT)
  verdict: Verdict | null;

  @Field(whole({ minimum: 0 }))
  attempt: number;

  @Field(TIME)
  created_at: string;

  @Field(flag())
  is_private: boolean;

  @Field(text(), 'Where the API has the run, on this server.')
  url: string;

  @Field(text(), 'The page of the run, on this server.')
  page_url: string;
}
