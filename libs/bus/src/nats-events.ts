import type { JetStreamClient } from '@nats-io/jetstream';
import { EVENT_STREAM, eventFilter, eventId, eventSubject, type Fact } from '@proctor/contracts';
import { follow } from './follow';

/** The facts about runs, a subject for each architecture and kind. */
export class NatsEvents {
  constructor(private readonly js: JetStreamClient) {}

  async publish(fact: Fact): Promise<void> {
    await this.js.publish(eventSubject(fact.arch, fact.kind), JSON.stringify(fact), {
      msgID: eventId(fact),
    });
  }

  async *read(arch: string, signal?: AbortSignal): AsyncGenerator<Fact> {
    for await (const message of follow(this.js, EVENT_STREAM, eventFilter(arch), signal)) {
      yield message.json<Fact>();
    }
  }
}
