import { setTimeout as pause } from 'node:timers/promises';
import { VERSION } from '@proctor/process';
import type { RunSpan } from './run-spans';

/** A destination of spans. */
export interface SpanSink {
  /** @throws Error if they could not be delivered */
  send(spans: RunSpan[]): Promise<void>;
}

/** Injection token of the SpanSink; null if spans are not sent. */
export const SPAN_SINK = Symbol('span sink');

const ANSWER_MS = 10_000;
/** The pauses before further tries. */
const PAUSES_MS = [500, 2_000];
/** Statuses of a busy collector, or of a proxy that cannot reach it. */
const PASSING = [429, 502, 503, 504];

/** Values of OTLP, see opentelemetry/proto/trace/v1. */
const KIND_INTERNAL = 1;
const STATUS = { unset: 0, error: 2 };

/** Sends spans by OTLP over HTTP in its JSON encoding, which every collector accepts. */
export class OtlpSink implements SpanSink {
  private readonly headers: Record<string, string>;

  /**
   * @param url of the collector, such as http://collector:4318/v1/traces
   * @param headers `name=value,…`, in the format of OTEL_EXPORTER_OTLP_HEADERS
   */
  constructor(
    private readonly url: string,
    headers = '',
  ) {
    this.headers = { 'Content-Type': 'application/json', ...headersIn(headers) };
  }

  async send(spans: RunSpan[]): Promise<void> {
    const body = JSON.stringify(requestOf(spans));
    for (const pauseMs of [...PAUSES_MS, null]) {
      const failure = await this.post(body);
      if (failure === null) return;
      if (pauseMs === null || !failure.isPassing) throw new Error(failure.reason);
      await pause(pauseMs);
    }
  }

  /** @returns null if they were accepted */
  private async post(body: string): Promise<{ reason: string; isPassing: boolean } | null> {
    try {
      const signal = AbortSignal.timeout(ANSWER_MS);
      const response = await fetch(this.url, { method: 'POST', headers: this.headers, body, signal });
      await response.body?.cancel();
      if (response.ok) return null;
      return {
        reason: `${this.url} answered ${response.status}`,
        isPassing: PASSING.includes(response.status),
      };
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      const reason = cause instanceof Error ? cause.message : String(error);
      return { reason: `${this.url} cannot be reached: ${reason}`, isPassing: true };
    }
  }
}

/** Values are percent-encoded. */
function headersIn(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split('='));
  return Object.fromEntries(
    pairs.flatMap(([name = '', ...value]) =>
      name.trim() === '' ? [] : [[name.trim(), decodeURIComponent(value.join('=').trim())]],
    ),
  );
}

function requestOf(spans: RunSpan[]): object {
  const resource = { attributes: attributesOf({ 'service.name': 'proctor', 'service.version': VERSION }) };
  const scopeSpans = [{ scope: { name: 'proctor', version: VERSION }, spans: spans.map(spanOf) }];
  return { resourceSpans: [{ resource, scopeSpans }] };
}

function spanOf({ name, traceId, spanId, parentId, fromMs, toMs, attributes, hasFailed }: RunSpan): object {
  return {
    traceId,
    spanId,
    ...(parentId !== null && { parentSpanId: parentId }),
    name,
    kind: KIND_INTERNAL,
    startTimeUnixNano: nanoseconds(fromMs),
    endTimeUnixNano: nanoseconds(toMs),
    attributes: attributesOf(attributes),
    status: { code: hasFailed ? STATUS.error : STATUS.unset },
  };
}

/** Whole numbers of 64 bits are strings in JSON. */
function attributesOf(attributes: RunSpan['attributes']): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}

function nanoseconds(ms: number): string {
  return `${ms}000000`;
}
