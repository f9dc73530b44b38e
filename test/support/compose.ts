import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface ComposeService {
  image?: string;
  build?: string;
  user?: string;
  command?: string[];
  entrypoint?: string[];
  restart?: string;
  privileged?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  healthcheck?: { test: string[] };
  logging?: { options: Record<string, string> };
  ports?: string[];
  stop_grace_period?: string;
  depends_on?: Record<string, { condition: string }>;
  deploy?: { replicas?: number; resources: { limits: { memory?: string } } };
}

export interface Compose {
  services: Record<string, ComposeService>;
  volumes: Record<string, object>;
}

export function readCompose(project: string): Compose {
  const text = readFileSync(join(project, 'docker-compose.yml'), 'utf8');
  return parse(text, { merge: true }) as Compose;
}

/**
 * The text with its variables put in, as Docker Compose does: `${NAME:-default}`, `${NAME:?why}`, `${NAME}` and `$$`.
 * @throws Error when one is not set that has to be
 */
export function interpolated(text: string, env: Record<string, string>): string {
  return text.replace(/\$(?:\$|\{(\w+)(?::([-?])([^}]*))?\})/g, (whole, name, kind, rest) => {
    if (whole === '$$') return '$';
    const value = env[name as string] ?? '';
    if (value !== '') return value;
    if (kind === '?') throw new Error(`${String(name)}: ${String(rest)}`);
    return kind === '-' ? String(rest) : '';
  });
}
