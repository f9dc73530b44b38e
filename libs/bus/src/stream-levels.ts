import { EVENT_STREAM, sharedReportStream } from '@proctor/contracts';
import { requireAnswers } from './answers';
import { NoAnswer } from './bus';
import type { NatsLink } from './nats-link';

const STREAM_KINDS = ['reports', 'logs', 'staging', 'events'] as const;
type StreamKind = (typeof STREAM_KINDS)[number];

/** The fill of all streams of one kind. */
export interface StreamFill {
  kind: StreamKind;
  bytes: number;
  bytesMax: number;
  /** Fill of the fullest stream, in bytes or messages: 1 is full. */
  fullest: number;
}

export interface StreamFills {
  fills: StreamFill[];
  /** Architecture → reports that wait, or are being handled. */
  reportsPending: Map<string, number>;
}

const NAME_OF: Record<StreamKind, RegExp> = {
  reports: new RegExp(`^${sharedReportStream('([^_]+)')}_`),
  logs: /^PROCTOR_LOGS_/,
  staging: /^PROCTOR_STAGING_/,
  events: new RegExp(`^${EVENT_STREAM}$`),
};

/** Reads how full the streams are: one request to the server for 256 of them. */
export class StreamLevels {
  constructor(private readonly link: Pick<NatsLink, 'jsm' | 'isConnected'>) {}

  /** @throws NoAnswer at once while disconnected, or when JetStream does not answer */
  async read(): Promise<StreamFills> {
    if (!this.link.isConnected()) throw new NoAnswer('not connected to NATS');
    const fills = new Map(STREAM_KINDS.map((kind) => [kind, { kind, bytes: 0, bytesMax: 0, fullest: 0 }]));
    const reportsPending = new Map<string, number>();
    for await (const { config, state } of requireAnswers('the streams', this.link.jsm.streams.list())) {
      const kind = STREAM_KINDS.find((each) => NAME_OF[each].test(config.name));
      if (!kind) continue;
      const fill = fills.get(kind)!;
      const { bytes, messages } = state;
      fill.bytes += bytes;
      fill.bytesMax += Math.max(0, config.max_bytes);
      fill.fullest = Math.max(fill.fullest, part(bytes, config.max_bytes), part(messages, config.max_msgs));
      const arch = kind === 'reports' ? NAME_OF.reports.exec(config.name)?.[1] : undefined;
      if (arch !== undefined) reportsPending.set(arch, (reportsPending.get(arch) ?? 0) + messages);
    }
    return { fills: [...fills.values()], reportsPending };
  }
}

/** The used part of a limit; a limit of -1 means unlimited. */
function part(value: number, max: number): number {
  return max > 0 ? value / max : 0;
}
