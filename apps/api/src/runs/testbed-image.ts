import { type TestbedImage, timestamp } from '@proctor/contracts';
import type { RunImage } from '@proctor/resources';

/** An image in the form of the API. */
export function imageObject(image: TestbedImage | null): RunImage | null {
  return image && { name: image.name, built_at: timestamp(new Date(image.builtAtMs)) };
}

/** `unshare/sid/amd64, built 2026-11-20 10:00:00 UTC` */
export function imageInWords({ name, builtAtMs }: TestbedImage): string {
  const [day, time] = new Date(builtAtMs).toISOString().split(/[T.]/);
  return `${name}, built ${day} ${time} UTC`;
}
