import { systemClock } from '@proctor/clock';
import { MailAddresses, MailChanges, TriggerRuns } from '@proctor/database';
import { Counter, type Registry } from 'prom-client';
import { CONFIGURATION, REGISTRY } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { Room } from '../http/room';
import { MAIL_OUTCOMES, type MailOutcome, MailSender } from './mail-sender';
import { sendMail } from './relay';

function countedIn(registry: Registry): (outcome: MailOutcome) => void {
  const counter = new Counter({
    name: 'proctor_mails_total',
    help: 'Mails to users that ended: sent, refused (for this address), failed (by the relay). The last two are tried again.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of MAIL_OUTCOMES) counter.inc({ outcome }, 0);
  return (outcome) => counter.inc({ outcome });
}

/** Mails to users about what they follow. */
@Room({
  providers: [
    {
      provide: MailSender,
      inject: [MailAddresses, MailChanges, TriggerRuns, CONFIGURATION, REGISTRY],
      useFactory: (
        addresses: MailAddresses,
        changes: MailChanges,
        triggers: TriggerRuns,
        configuration: ApiConfiguration,
        registry: Registry,
      ) =>
        new MailSender({
          addresses,
          changes,
          triggers,
          configuration,
          clock: systemClock,
          now: () => new Date(),
          send: (mail, relay) => sendMail(mail, relay, systemClock),
          random: () => Math.random(),
          onOutcome: countedIn(registry),
        }),
    },
  ],
})
export class MailModule {}
