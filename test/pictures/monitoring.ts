import 'reflect-metadata';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { findFreePort } from '@proctor/embedded';
import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { chromium } from 'playwright-core';
import { HttpClient } from '../bench/client';
import { Deployment } from '../bench/deployment';
import { Place } from '../bench/place';
import { prometheusProgram } from '../support/promtool';

const SUITES = ['unstable', 'testing'];
const ARCHITECTURES = ['amd64', 'arm64'];
const WATCHED_S = 150;
const SCRAPE_S = 2;
const COLOURS = ['#2563a8', '#b45309', '#15803d', '#a21caf', '#b91c1c', '#0e7490', '#4d7c0f', '#6d28d9'];
const [WIDTH, HEIGHT] = [400, 150];

interface Panel {
  title: string;
  type: string;
  fieldConfig?: { defaults: { unit: string } };
  targets?: { expr: string; legendFormat: string }[];
}

interface Series {
  name: string;
  points: [number, number][];
}

/**
 * The panels of docs/monitoring/dashboard.json as a deployment under load fills them: Debian's Prometheus scrapes it, answers the
 * panels' own queries, and what it answers is drawn here. It is no picture of Grafana, which Debian does not have.
 */
async function main(folder: string): Promise<void> {
  Logger.overrideLogger(false);
  const place = await Place.open({ isQuick: false });
  let prometheus: ChildProcess | undefined;
  try {
    const ports = {
      api: await findFreePort(),
      scheduler: await findFreePort(),
      prometheus: await findFreePort(),
    };
    const deployment = await Deployment.start(place, {
      ...{ architectures: ARCHITECTURES, schedulers: 1, workers: ['ganymede', 'callisto', 'europa'] },
      api: { metrics: { port: ports.api } },
      server: { suites: SUITES, variants: ['stub'], scheduler: { metrics: { port: ports.scheduler } } },
    });
    for (const name of ['ganymede', 'callisto']) await deployment.worker(name, workerFile(name));
    prometheus = await scraping(place, ports);
    const client = new HttpClient(deployment.url, { 'Auth-Key': deployment.key });
    await load(client);
    const end = Date.now() / 1000;
    const drawings = await Promise.all(panels().map((panel) => draw(panel, ports.prometheus, end)));
    await mkdir(folder, { recursive: true });
    await photograph(drawings, join(folder, 'monitoring.png'));
  } finally {
    prometheus?.kill();
    await place.close();
  }
}

/** europa never comes: it is silent. */
function workerFile(name: string): object {
  return {
    ...{
      architectures: ARCHITECTURES,
      slots: 4,
      backends: ['null'],
      machineMayBeDestroyed: true,
      workPath: name,
    },
    suitesAtStart: SUITES,
    variants: { stub: [resolve('test/stub/autopkgtest-stub')] },
  };
}

async function scraping(
  place: Place,
  ports: { api: number; scheduler: number; prometheus: number },
): Promise<ChildProcess> {
  const folder = await place.newFolder('prometheus');
  const targets = [ports.api, ports.scheduler].map((port) => `'127.0.0.1:${port}'`).join(', ');
  const file = join(folder, 'prometheus.yml');
  const job = `[{ job_name: proctor, static_configs: [{ targets: [${targets}] }] }]`;
  await writeFile(file, `global: { scrape_interval: ${SCRAPE_S}s }\nscrape_configs: ${job}\n`);
  const args = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${ports.prometheus}`,
  ];
  const child = spawn(await prometheusProgram('prometheus'), args, { stdio: ['ignore', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  return child;
}

/** Runs of three bands, in waves, more than the slots take at times. */
async function load(client: HttpClient): Promise<void> {
  const end = Date.now() + WATCHED_S * 1000;
  for (let wave = 0; Date.now() < end; wave += 1) {
    const many = wave % 6 < 3 ? 14 : 2;
    for (let index = 0; index < many; index += 1) {
      const [suite, arch] = [SUITES[index % 2]!, ARCHITECTURES[(index + wave) % 2]!];
      const name = index % 9 === 8 ? 'broken-example' : index % 5 === 4 ? 'fail-example' : `example${index}`;
      const priority = [9, 5, 5, 2][index % 4]!;
      await client.mustPost(`/api/v1/test/${suite}/${arch}/${name}`, {
        trigger: `sleep:${1 + (index % 4)}`,
        priority,
      });
    }
    for (const path of ['/', '/status/queue/', '/api/v1/runs']) await client.mustGet(path);
    await pause(4_000);
  }
}

function panels(): Panel[] {
  const text = readFileSync(resolve('docs/monitoring/dashboard.json'), 'utf8');
  return (JSON.parse(text) as { panels: Panel[] }).panels;
}

async function draw(panel: Panel, port: number, end: number): Promise<string> {
  const { title, type, targets = [], fieldConfig } = panel;
  if (type === 'row') return `<h2>${escaped(title)}</h2>`;
  const seriesOfTargets = await Promise.all(targets.map((target) => query(target, port, end)));
  const series = seriesOfTargets.flat();
  const unit = fieldConfig?.defaults.unit ?? 'short';
  if (type === 'stat') {
    const values = series.map(({ name, points }) => ({
      name,
      value: valueText(points.at(-1)?.[1] ?? 0, unit),
    }));
    const text = values
      .map(({ name, value }) => (title === 'Versions' ? `${name} (${value})` : value))
      .join(', ');
    return `<figure class="stat"><figcaption>${escaped(title)}</figcaption><b>${escaped(text || '–')}</b></figure>`;
  }
  return `<figure><figcaption>${escaped(title)}</figcaption>${chart(series, unit, end)}</figure>`;
}

async function query(
  { expr, legendFormat }: { expr: string; legendFormat: string },
  port: number,
  end: number,
) {
  const expression = expr.replaceAll('$__rate_interval', '20s').replaceAll('"$arch"', '".*"');
  const parameters = new URLSearchParams({
    query: expression,
    start: String(end - WATCHED_S),
    end: String(end),
    step: String(SCRAPE_S),
  });
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/query_range?${parameters.toString()}`);
  const { data, error } = (await response.json()) as {
    data?: { result: { metric: Record<string, string>; values: [number, string][] }[] };
    error?: string;
  };
  if (!data) throw new Error(`${expression}: ${error}`);
  return data.result.map(({ metric, values }): Series => {
    const name = legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '');
    const points = values.map(([at, value]): [number, number] => [at, Number(value)]);
    return { name, points: points.filter(([, value]) => Number.isFinite(value)) };
  });
}

function chart(series: Series[], unit: string, end: number): string {
  const top = Math.max(...series.flatMap(({ points }) => points.map(([, value]) => value)), 0) || 1;
  const x = scaleLinear([end - WATCHED_S, end], [44, WIDTH - 4]);
  const y = scaleLinear([0, top], [HEIGHT - 4, 6]).nice(4);
  const path = line<[number, number]>(
    ([at]) => x(at),
    ([, value]) => y(value),
  );
  const grid = y
    .ticks(4)
    .map(
      (tick) =>
        `<line x1="44" x2="${WIDTH - 4}" y1="${y(tick)}" y2="${y(tick)}"/><text x="40" y="${y(tick) + 4}">${valueText(tick, unit)}</text>`,
    );
  const firstSeries = series.slice(0, COLOURS.length);
  const paths = firstSeries.map(
    ({ points }, index) => `<path d="${path(points) ?? ''}" stroke="${COLOURS[index]}"/>`,
  );
  const names = firstSeries.map(
    ({ name }, index) => `<span><i style="background:${COLOURS[index]}"></i>${escaped(name)}</span>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}">${grid.join('')}${paths.join('')}</svg><p>${names.join(' ')}</p>`;
}

function valueText(value: number, unit: string): string {
  if (unit === 'percentunit') return `${Number((value * 100).toPrecision(2))} %`;
  if (unit === 's')
    return value >= 1 || value === 0 ? `${Math.round(value * 10) / 10} s` : `${Math.round(value * 1000)} ms`;
  if (unit === 'bytes') return `${Math.round(value / 1024 ** 2)} MiB`;
  const format = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });
  return format.format(value);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const STYLE = `body{font:13px sans-serif;margin:16px;width:1248px;color:#1f2937}h2{font-size:15px;margin:14px 0 6px;width:100%}
main{display:flex;flex-wrap:wrap;gap:8px}figure{margin:0;padding:6px;border:1px solid #d1d5db;border-radius:4px;width:286px}
.stat{width:auto;min-width:150px}.stat b{font-size:20px}figcaption{font-weight:600;margin-bottom:4px}svg{width:100%}
path{fill:none;stroke-width:1.6}line{stroke:#e5e7eb}text{font-size:11px;text-anchor:end;fill:#6b7280}
p{margin:2px 0;font-size:11px;line-height:1.3}span{margin-right:8px;white-space:nowrap}i{display:inline-block;width:10px;height:3px;margin-right:3px;vertical-align:middle}`;

async function photograph(drawings: string[], file: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.setContent(`<!doctype html><style>${STYLE}</style><main>${drawings.join('')}</main>`);
    await page.screenshot({ path: file, fullPage: true });
  } finally {
    await browser.close();
  }
}

main(process.argv[2] ?? 'docs/images').catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
