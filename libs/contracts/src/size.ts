import { ValidateBy } from 'class-validator';

/** The most bytes of a message: the limit of nats-server without another `max_payload`. */
export const MESSAGE_BYTES_MAX = 1024 ** 2;

/** The bytes of a value in a message: its JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** A value that has at most `bytesMax` in a message, see `jsonBytes`. */
export function HasBytesMax(bytesMax: number): PropertyDecorator {
  return ValidateBy({
    name: 'hasBytesMax',
    validator: {
      validate: (value: unknown) => jsonBytes(value) <= bytesMax,
      defaultMessage: (context) => `${context?.property} must have at most ${bytesMax} bytes as JSON`,
    },
  });
}

/** The first entries, as many as fit into `bytesMax` of a list in a message. */
export function withinBytes<T>(entries: T[], bytesMax: number): T[] {
  let bytes = 0;
  const end = entries.findIndex((entry) => (bytes += jsonBytes(entry) + 1) > bytesMax);
  return end === -1 ? entries : entries.slice(0, end);
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes for people: `1.5 MiB`. */
export function sizeText(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const size = bytes / 1024 ** unit;
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}
