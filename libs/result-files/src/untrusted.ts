/** Parses a JSON object; null for anything else. */
export function parseRecord(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether all are whole numbers from `least` to `most`, in ascending order. */
export function isRising(values: unknown[], least: number, most: number): values is number[] {
  let last = least - 1;
  return values.every((value) => {
    if (!isCount(value) || value <= last || value > most) return false;
    last = value;
    return true;
  });
}
