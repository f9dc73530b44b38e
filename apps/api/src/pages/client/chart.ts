const STEPS: Record<string, (place: number, last: number) => number> = {
  ArrowLeft: (place) => place - 1,
  ArrowRight: (place) => place + 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** Writes the value under the pointer or the focus below its chart. Arrow keys, Home and End go to other values. */
export function readCharts(): void {
  document.addEventListener('pointerover', show);
  document.addEventListener('focusin', show);
  document.addEventListener('keydown', (event) => {
    const step = STEPS[event.key];
    const point = pointOf(event);
    if (!step || !point) return;
    const points = [...point.closest('.chart')!.querySelectorAll<SVGElement>('.point')];
    const next = points[step(points.indexOf(point), points.length - 1)];
    if (!next) return;
    event.preventDefault();
    point.setAttribute('tabindex', '-1');
    next.setAttribute('tabindex', '0');
    next.focus();
  });
}

function show(event: Event): void {
  const point = pointOf(event);
  const caption = point?.closest('.chart')?.querySelector('figcaption');
  if (caption) caption.textContent = point!.querySelector('title')!.textContent;
}

function pointOf({ target }: Event): SVGElement | null {
  return target instanceof Element ? target.closest<SVGElement>('.chart .point') : null;
}
